import { expect, test } from 'vitest';
import type { Hard } from './agent.ts';
import {
  downcast,
  RECORD_VERSION,
  RECORD_VERSION_MIN,
  type SharedStep,
  type UpcastStep,
  upcast,
} from './upcast.ts';

const steps: readonly UpcastStep[] = [
  { effect: (effect) => ({ ...effect, step: 'nudge' }) },
  { agent: ({ group, ...others }) => ({ ...others, team: group }) },
  { effect: (effect) => ({ ...effect, until: null }), agent: (agent) => ({ ...agent, tags: [] }) },
];

test.each([
  [1, { id: 'a/1/nudge/1', step: 'nudge', until: null }],
  [2, { id: 'a/1/nudge/1', until: null }],
  [3, { id: 'a/1/nudge/1', until: null }],
  [4, { id: 'a/1/nudge/1' }],
])('an effect of version %i takes the steps that follow it', (version, expected) => {
  expect(upcast('effect', { id: 'a/1/nudge/1' }, version, steps)).toEqual(expected);
});

test('a kind takes only its own steps and leaves its input unchanged', () => {
  const agent = Object.freeze({ agentId: 'ada', group: 'blue' });
  expect(upcast('agent', agent, 1, steps)).toEqual({ agentId: 'ada', team: 'blue', tags: [] });
  expect(upcast('event', agent, 1, steps)).toBe(agent);
});

test('a record of a newer version is refused', () => {
  expect(upcast('agent', { agentId: 'ada' }, 5, steps)).toBeNull();
  expect(upcast('agent', { agentId: 'ada' }, RECORD_VERSION + 1)).toBeNull();
});

test('a record of the current version is returned as it is', () => {
  const agent = { agentId: 'ada' };
  expect(upcast('agent', agent, RECORD_VERSION)).toBe(agent);
});

const shared: readonly SharedStep[] = [
  {
    up: { agent: (agent) => ({ tags: [], ...agent }) },
    down: { agent: ({ tags: _unknown, ...agent }) => agent },
  },
  {
    up: { agent: ({ group, ...agent }) => ({ ...agent, team: group }) },
    down: { agent: ({ team, ...agent }) => ({ ...agent, group: team }) },
  },
];

test.each([
  [RECORD_VERSION_MIN, { agentId: 'ada', group: 'blue' }],
  [RECORD_VERSION_MIN + 1, { agentId: 'ada', group: 'blue', tags: ['a'] }],
  [RECORD_VERSION_MIN + 2, { agentId: 'ada', team: 'blue', tags: ['a'] }],
])('a record for servers that know version %i takes the steps back to it', (version, expected) => {
  const agent = Object.freeze({ agentId: 'ada', team: 'blue', tags: ['a'] }) as unknown as Hard;
  expect(downcast('agent', agent, version, shared)).toEqual(expected);
  expect(downcast('event', agent as never, version, shared)).toBe(agent);
});

test('a record that is written as the newest version stays as it is', () => {
  const agent = { agentId: 'ada' } as Hard;
  expect(downcast('agent', agent, RECORD_VERSION)).toBe(agent);
});
