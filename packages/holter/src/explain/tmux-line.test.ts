import type { AgentView } from '@holter/server/local';
import { expect, it } from 'vitest';
import { exampleAgent, exampleIncident } from '../../test/example-agent.ts';
import { tmuxLine } from './tmux-line.ts';

const agent = (agentId: string, change: Partial<AgentView> = {}): AgentView => ({
  ...exampleAgent,
  ...{ agentId, state: 'HEALTHY', incident: null, holds: [], findings: [] },
  ...change,
});
const incident = { ...exampleIncident, step: 'human' as const };

it('counts the agents that run, and names those that wait for a person', () => {
  expect(tmuxLine([])).toBe('no agents');
  expect(tmuxLine([agent('a'), agent('b')])).toBe('2 HEALTHY');
  expect(tmuxLine([agent('api.3', { state: 'STUCK', incident, needsYouSince: 1 }), agent('b')])).toBe(
    '#[fg=red,bold]1 STUCK#[default], 1 HEALTHY | waiting for you: api.3',
  );
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    agent(id, { state: 'FAILING', incident, needsYouSince: 1 }),
  );
  expect(tmuxLine(five)).toBe('#[fg=red,bold]5 FAILING#[default] | waiting for you: a, b, c, …');
});
