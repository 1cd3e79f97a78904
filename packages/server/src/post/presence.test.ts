import { type Agent, enroll, type Instant, instant, NO_STALLS, type Promises } from '@holter/core';
import { expect, test } from 'vitest';
import { compile, policyFor } from '../policy/index.ts';
import { knownPresenceOf } from './presence.ts';

const compiled = compile({ agents: { importer: { watch: 'tasks' } } });
if (compiled.kind === 'invalid') throw new Error('the configuration is wrong');
const policyOf = (agentId: string) => policyFor(compiled.policies, 'active-development', agentId);
const START = instant(1_000_000);

/** Heard once, `minutes` ago. */
function presence(agentId: string, promises: Promises, minutes: number, soft: Partial<Agent['soft']> = {}) {
  const registration = {
    ...{ agentId, instanceId: 'i', role: 'active-development', group: 'g', promises },
    mode: 'observe',
    can: [],
    executor: null,
  } as const;
  const policy = policyOf(agentId);
  const enrolled = enroll(null, registration, { at: START, stalls: NO_STALLS, policy });
  if (enrolled.kind === 'refused') throw new Error('refused');
  const agent = { ...enrolled.agent, soft: { ...enrolled.agent.soft, beatAt: START, ...soft } };
  return knownPresenceOf(agent, (START + minutes * 60_000) as Instant, policy);
}

test.each([
  ['ada', { pongs: true }, 1, 'online'],
  ['ada', { pongs: true }, 3, 'idle'],
  ['importer', { pongs: true }, 1, 'online'],
  ['importer', { pongs: true }, 3, 'unknown'],
  ['importer', { pongs: true }, 300, 'unknown'],
  ['ada', {}, 3, 'unknown'],
] as const)('%s with %o, last heard %i min ago, is %s', (agentId, promises, minutes, status) => {
  expect(presence(agentId, promises, minutes)).toBe(status);
});

test('a process that was seen lately is idle', () => {
  const probedAt = (START + 179 * 60_000) as Instant;
  expect(presence('importer', { process: true }, 180, { probedAt })).toBe('idle');
});
