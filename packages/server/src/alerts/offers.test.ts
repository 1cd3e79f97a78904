import type { AlertNotice, Hard } from '@holter/core';
import { expect, it } from 'vitest';
import { defaultPolicies, policyOfAgent } from '../policy/index.ts';
import { withOffers } from './offers.ts';

const hard = {
  agentId: 'ada',
  role: 'default',
  group: 'default',
  executor: 'run:1',
  can: ['nudge', 'terminate', 'spawn'],
  holds: [],
  points: [],
  derived: [],
  incident: { id: 'ada/1', step: 'escalate', phase: 'waiting', attempt: 1 },
} as unknown as Hard;

const notice = {
  action: 'trigger',
  count: 1,
  members: [{ agentId: 'ada', incidentId: 'ada/1' }],
} as unknown as AlertNotice;

it.each([
  [false, ['allow_more_time', 'force_handoff', 'terminate_and_recover']],
  [true, ['allow_more_time']],
])('an alert offers only what would be accepted (its starter is gone: %s)', (isGone, decisions) => {
  const context = {
    hardOf: () => hard,
    policyOf: (about: Hard) => policyOfAgent(defaultPolicies, about),
    isStarterGone: () => isGone,
  };
  expect(withOffers(notice, context, 0 as never).decisions).toEqual(decisions);
});
