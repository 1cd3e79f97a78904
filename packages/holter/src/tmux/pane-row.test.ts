import { expect, it } from 'vitest';
import { parsePane, parseTyped } from './pane-row.ts';

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

it('takes keys of people only, the newest of each session', () => {
  expect(parseTyped(['0 $1 100', '0 $1 250', '1 $1 900', '1 $2 900'])).toEqual(new Map([['$1', 250]]));
});
