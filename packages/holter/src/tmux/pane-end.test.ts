import { expect, it } from 'vitest';
import { endOf } from './pane-end.ts';

const lost = { dead: null, lastState: 'busy', typedMsAgo: null, loss: 'none' } as const;

it('an agent that disappears in the middle of its work is gone', () => {
  for (const lastState of ['busy', 'asking', 'unknown'] as const)
    expect(endOf({ ...lost, lastState })).toMatchObject({ kind: 'process', state: 'gone' });
});

it('one that disappears at its prompt, or while somebody types, was quit', () => {
  expect(endOf({ ...lost, lastState: 'idle' })).toMatchObject({ kind: 'stopped' });
  expect(endOf({ ...lost, typedMsAgo: 3_000 })).toMatchObject({ kind: 'stopped' });
  expect(endOf({ ...lost, typedMsAgo: 60_000 })).toMatchObject({ kind: 'process' });
});

it('when tmux itself has crashed, no agent was quit', () => {
  for (const lastState of ['idle', 'busy', 'unknown'] as const)
    expect(endOf({ ...lost, lastState, typedMsAgo: 100, loss: 'told' })).toMatchObject({ state: 'gone' });
  expect(endOf({ ...lost, loss: 'told' })).not.toHaveProperty('isPlaceGone');
  expect(endOf({ ...lost, loss: 'beside' })).toMatchObject({ state: 'gone', isPlaceGone: true });
});

it('a dead pane tells the exit code or the signal of its command', () => {
  expect(endOf({ ...lost, dead: { code: 0, signal: null } })).toEqual({ kind: 'exited', code: 0 });
  expect(endOf({ ...lost, dead: { code: 7, signal: null } })).toEqual({ kind: 'exited', code: 7 });
  expect(endOf({ ...lost, dead: { code: null, signal: 9 } })).toEqual({
    kind: 'exited',
    code: null,
    signal: 'SIGKILL',
  });
});
