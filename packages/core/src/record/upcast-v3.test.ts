import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { admit } from '../fleet/guard.ts';
import { fleetDefaults } from '../policy/defaults.ts';
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

test('what was left of the budgets of version 2 is common to all groups, and every share is full', () => {
  const at = instant(1_000_000);
  const spent = { tokens: 0, at };
  const stored = { brakes: {}, budgets: { nudge: spent, notice: spent, start: spent } };
  const fleet = upcast('fleet', stored, 2);
  if (!fleet) throw new Error('it was refused');
  const ask = { agentId: 'ada', group: 'blue', effectId: 'e', intervalMs: 60_000 };
  const context = { at, groupSize: 5, policy: fleetDefaults };
  const kindOf = (hasKept: boolean) =>
    admit(fleet, { ...ask, kind: 'notice', hasKept }, context).admission.kind;
  expect([kindOf(false), kindOf(true)]).toEqual(['deferred', 'granted']);
});
