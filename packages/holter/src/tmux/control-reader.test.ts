import { expect, it } from 'vitest';
import { quoted } from './control-client.ts';
import { ControlReader } from './control-reader.ts';

// As tmux 3.3a printed it.
const attached = '%begin 1794844601 269 0\n%end 1794844601 269 0\n%session-changed $1 b\n';

it('gives the replies to its own commands in order, in whatever pieces they come', () => {
  const text = `${attached}%begin 1794844601 274 1\n%0|a|3409\n%1|b|3412\n%end 1794844601 274 1\n%window-add @2\n%begin 1794844601 277 1\nparse error: unknown command: bad-cmd\n%error 1794844601 277 1\n`;
  const whole = [
    { isError: false, lines: ['%0|a|3409', '%1|b|3412'] },
    { isError: true, lines: ['parse error: unknown command: bad-cmd'] },
  ];
  expect(new ControlReader().push(text)).toEqual(whole);
  const reader = new ControlReader();
  expect([...text].flatMap((character) => reader.push(character))).toEqual(whole);
});

it('takes what a pane shows for text, even if it looks like the end of another reply', () => {
  const shown = ['%end 1794844601 999 1', '%begin 1 2 1', '%error', '%exit'];
  const text = `%begin 1794844602 300 1\n${shown.join('\n')}\n%end 1794844602 300 1\n`;
  expect(new ControlReader().push(text)).toEqual([{ isError: false, lines: shown }]);
});

it('quotes an argument so that it is one word of one line', () => {
  expect(quoted("it's; $HOME #{x}")).toBe(`'it'\\''s; $HOME #{x}'`);
  expect(quoted('one\nkill-server\u001b[201~\r')).toBe(`'one kill-server [201~ '`);
});

it('tells the death of its server from an ordinary end', () => {
  const exitOf = (text: string) => {
    const reader = new ControlReader();
    reader.push(`${attached}${text}`);
    return reader.exit;
  };
  expect(exitOf('')).toBeNull();
  expect(exitOf('%sessions-changed\n%exit\n')).toBe('');
  expect(exitOf('%exit server exited unexpectedly\n')).toBe('server exited unexpectedly');
});
