import { type Agent, enroll, type Instant, instant, minutes, NO_STALLS, type Promises } from '@holter/core';
import { expect, test } from 'vitest';
import { compile, policyFor } from '../policy/index.ts';
import { knownPresenceOf } from './presence.ts';

const compiled = compile({ agents: { importer: { watch: 'tasks' } } });
if (compiled.kind === 'invalid') throw new Error('the configuration is wrong');
const { policies } = compiled;
const START = instant(1_000_000);

/** Heard once, so many minutes ago. */
function presence(
  agentId: string,
  promises: Promises,
  ago: number,
  soft: Partial<Agent['soft']> = {},
  role = 'active-development',
) {
  const registration = {
    ...{ agentId, instanceId: 'i', role, group: 'g', promises },
    mode: 'observe',
    can: [],
    executor: null,
  } as const;
  const policy = policyFor(policies, role, agentId);
  const enrolled = enroll(null, registration, { at: START, stalls: NO_STALLS, policy });
  if (enrolled.kind === 'refused') throw new Error('refused');
  const agent = { ...enrolled.agent, soft: { ...enrolled.agent.soft, beatAt: START, ...soft } };
  return knownPresenceOf(agent, (START + ago * 60_000) as Instant, { policy, stalls: NO_STALLS });
}

test.each([
  ['ada', { pongs: true }, 1, 'online'],
  ['ada', { pongs: true }, 2, 'unknown'],
  ['ada', { pongs: true }, 3, 'unknown'],
  ['ada', { beatEveryMs: minutes(5) }, 3, 'idle'],
  ['ada', { beatEveryMs: minutes(5) }, 7, 'unknown'],
  ['importer', { pongs: true }, 1, 'online'],
  ['importer', { pongs: true }, 3, 'unknown'],
  ['importer', { pongs: true }, 300, 'unknown'],
  ['ada', {}, 3, 'unknown'],
] as const)('%s with %o, last heard %i min ago, is %s', (agentId, promises, ago, status) => {
  expect(presence(agentId, promises, ago)).toBe(status);
});

test('a standby agent is idle until it misses its first ping, and not until its last', () => {
  const standby = (ago: number) => presence('ada', { pongs: true }, ago, {}, 'standby');
  expect([15, 17, 60].map(standby)).toEqual(['idle', 'unknown', 'unknown']);
});

test('a process that was seen lately is idle', () => {
  const probedAt = (START + 179 * 60_000) as Instant;
  expect(presence('importer', { process: true }, 180, { probedAt })).toBe('idle');
});
