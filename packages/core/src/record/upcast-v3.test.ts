import { expect, test } from 'vitest';
import { upcast } from './upcast.ts';

test('a hold of version 2 counts as declared by the agent, unless only Holter could have begun it', () => {
  const hold = (kind: string) => ({ kind, since: 5 });
  const hard = { agentId: 'ada', holds: [hold('asleep'), hold('in-tool'), hold('paused-by-operator')] };
  expect(upcast('agent', hard, 2)).toEqual({
    agentId: 'ada',
    holds: [{ ...hold('asleep'), isOwnWord: true }, hold('in-tool'), hold('paused-by-operator')],
    ownHolds: { since: 5 },
  });
});

test('an agent that a hook of version 2 registered waits for its reporter; others have none', () => {
  const hooked = {
    agentId: 'claude.shop.c64a3fea',
    executor: null,
    mode: 'nudge',
    can: ['nudge', 'deny-call'],
  };
  expect(upcast('agent', hooked, 2)).toEqual({ ...hooked, reporter: {} });
  const registered = { ...hooked, can: ['nudge'] };
  expect(upcast('agent', registered, 2)).toEqual(registered);
});

test('a key that could be guessed is dropped from the record, the order and the event', () => {
  const key = 'ada/1/recover/1';
  expect(upcast('agent', { agentId: 'ada', spawnKey: key }, 2)).toEqual({ agentId: 'ada' });
  expect(upcast('effect', { id: key, kind: 'spawn', key, attempt: 1 }, 2)).toEqual({
    id: key,
    kind: 'spawn',
    attempt: 1,
  });
  const event = { type: 'AGENT_REGISTERED', payload: { agentId: 'ada', spawnKey: key } };
  expect(upcast('event', event, 2)).toEqual({ type: 'AGENT_REGISTERED', payload: { agentId: 'ada' } });
});
