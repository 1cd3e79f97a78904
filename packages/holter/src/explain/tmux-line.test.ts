import type { AgentView, HealthView } from '@holter/server/local';
import { expect, it } from 'vitest';
import { exampleAgent, exampleIncident } from '../../test/example-agent.ts';
import { tmuxLine } from './tmux-line.ts';

const agent = (agentId: string, change: Partial<AgentView> = {}): AgentView => ({
  ...exampleAgent,
  ...{ agentId, state: 'HEALTHY', incident: null, holds: [], findings: [] },
  ...change,
});
const fine = { estop: null, troubles: [] };
const incident = { ...exampleIncident, step: 'human' as const };

it('counts the agents that run, and names those that wait for a person', () => {
  expect(tmuxLine([], fine)).toBe('no agents');
  expect(tmuxLine([agent('a'), agent('b')], fine)).toBe('2 HEALTHY');
  expect(tmuxLine([agent('api.3', { state: 'STUCK', incident, needsYouSince: 1 }), agent('b')], fine)).toBe(
    '#[fg=red,bold]1 STUCK#[default], 1 HEALTHY | waiting for you: api.3',
  );
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    agent(id, { state: 'FAILING', incident, needsYouSince: 1 }),
  );
  expect(tmuxLine(five, fine)).toBe('#[fg=red,bold]5 FAILING#[default] | waiting for you: a, b, c, …');
});

it('tells that Holter is stopped, and how much is wrong with itself', () => {
  const at = 1_794_844_601_000;
  const estop = { at, by: 'ada', reason: 'x' };
  const trouble = (kind: HealthView['troubles'][number]['kind']) => ({
    ...{ kind, name: null, says: '#(rm -rf)', since: at },
  });
  const stopped = { estop, troubles: [trouble('estop')] };
  expect(tmuxLine([], stopped)).toBe('#[fg=red,bold]estop#[default] | no agents');
  expect(tmuxLine([agent('a')], { estop: null, troubles: [trouble('store')] })).toBe(
    '#[fg=red,bold]holter: 1 problem#[default] | 1 HEALTHY',
  );
  expect(
    tmuxLine([agent('a')], { estop, troubles: [trouble('estop'), trouble('store'), trouble('ping')] }),
  ).toBe('#[fg=red,bold]estop#[default] | #[fg=red,bold]holter: 2 problems#[default] | 1 HEALTHY');
});
