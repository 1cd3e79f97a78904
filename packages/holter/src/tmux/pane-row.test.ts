import { expect, it } from 'vitest';
import { panesIn, parsePane } from './pane-row.ts';

const names = new Map([['$1', 'my | session']]);

it('reads a pane, whose title may hold anything', () => {
  expect(parsePane('%3|$1|4711|0|||0|0|1794844601|⠂ a | b', names)).toEqual({
    paneId: '%3',
    sessionId: '$1',
    sessionName: 'my | session',
    pid: 4711,
    dead: null,
    isInMode: false,
    isSynchronized: false,
    activity: 1794844601,
    title: '⠂ a | b',
  });
});

it('reads how the command of a dead pane ended', () => {
  expect(parsePane('%3|$1|4711|1|5||0|0|1|t', names)?.dead).toEqual({ code: 5, signal: null });
  expect(parsePane('%3|$1|4711|1||9|0|0|1|t', names)?.dead).toEqual({ code: null, signal: 9 });
});

it('sees that keys would go to other panes', () => {
  expect(parsePane('%3|$1|4711|0|||0|1|1|t', names)?.isSynchronized).toBe(true);
});

it('does not guess about a line that it does not understand, or a session that has just gone', () => {
  for (const line of [
    '',
    'no server running',
    '%3',
    '3|$1|4711|0|||0|0|1|t',
    '%3|$1|0|0|||0|0|1|t',
    '%3|$9|4711|0|||0|0|1|t',
  ])
    expect(parsePane(line, names)).toBeNull();
});

const listed = {
  // The second window is shown in two sessions, of which `another` was made later.
  panes: ['%4|$12|5|0|||0|0|1|t', '%3|$2|4|0|||0|0|1|t', '%4|$2|5|0|||0|0|1|t'],
  sessions: ['$12 another', '$2 api'],
};
const keysOf = (paneId: string, ...clients: readonly string[]) => {
  const { typedAt, hasControlTerminal } = panesIn({ ...listed, clients }).get(paneId) ?? {};
  return { typedAt, hasControlTerminal };
};

it('names a pane after the oldest session that shows it', () => {
  const panes = panesIn({ ...listed, clients: [] });
  expect([...panes.values()].map(({ paneId, sessionName }) => [paneId, sessionName])).toEqual([
    ['%4', 'api'],
    ['%3', 'api'],
  ]);
});

it('takes the newest key in any session that shows the pane', () => {
  const clients = ['$2 100 attached,UTF-8', '$2 250 attached', '$12 900 attached,focused', '$7 999 attached'];
  expect(keysOf('%4', ...clients)).toEqual({ typedAt: 900, hasControlTerminal: false });
  expect(keysOf('%3', ...clients)).toEqual({ typedAt: 250, hasControlTerminal: false });
  expect(keysOf('%4')).toEqual({ typedAt: null, hasControlTerminal: false });
});

it('knows no time of keys that come through control mode, and leaves out who passes none on', () => {
  const [terminal, own, reader] = [
    '$12 900 attached,focused,control-mode,UTF-8',
    '$12 900 attached,focused,control-mode,ignore-size,no-output,UTF-8',
    '$12 900 attached,control-mode,read-only',
  ];
  expect(keysOf('%4', terminal)).toEqual({ typedAt: null, hasControlTerminal: true });
  expect(keysOf('%3', terminal)).toEqual({ typedAt: null, hasControlTerminal: false });
  expect(keysOf('%4', own, reader)).toEqual({ typedAt: null, hasControlTerminal: false });
  expect(keysOf('%4', '$2 100 attached', terminal)).toEqual({ typedAt: 100, hasControlTerminal: true });
});
