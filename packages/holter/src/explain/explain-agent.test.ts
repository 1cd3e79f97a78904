import { instant } from '@holter/core';
import type { AgentView, FindingView, IncidentView } from '@holter/server/local';
import { describe, expect, it } from 'vitest';
import { threeLines } from './explain-agent.ts';

const now = instant(10_000_000);
const minutesAgo = (n: number): number => now - n * 60_000;

const healthy: AgentView = {
  agentId: 'ada',
  incarnation: 1,
  role: 'default',
  group: 'default',
  mode: 'nudge',
  can: ['nudge'],
  executor: null,
  patience: null,
  promises: {},
  startedAt: minutesAgo(60),
  state: 'HEALTHY',
  stateSince: minutesAgo(60),
  liveness: 'alive',
  cause: null,
  presence: 'online',
  isWorking: true,
  lastBeatAt: minutesAgo(0.2),
  lastSignAt: minutesAgo(0.2),
  lastProgressAt: null,
  phase: null,
  tokens: 0,
  costUsd: 0,
  errorCount: null,
  task: null,
  holds: [],
  checkpoint: null,
  findings: [],
  incident: null,
  quiet: null,
  quietFindings: [],
  recovery: null,
  probation: null,
  end: null,
  decisions: {
    nudge: null,
    allow_more_time: null,
    wake: 'it was not given time',
    acknowledge: null,
    wrong: null,
    leave_down: 'the agent has not ended',
    pause: null,
    resume: 'it is not paused',
    force_handoff: 'nothing can stop it from here',
    terminate_and_recover: 'nothing can stop it from here',
    terminate: 'nothing can stop it from here',
    recover: 'the agent has not ended',
  },
};

const stale: FindingView = {
  kind: 'checkpoint-stale',
  severity: 'act',
  source: 'agent-reports',
  since: minutesAgo(45),
  evidence: 'no checkpoint for 45 min, and nothing else moved',
  threshold: '10 min to warn, 30 min to act',
  count: null,
};

const incident: IncidentView = {
  incidentId: 'ada/1',
  agentId: 'ada',
  group: 'default',
  incarnation: 1,
  state: 'STUCK',
  cause: 'checkpoint-stale',
  openedAt: minutesAgo(15),
  step: 'nudge',
  attempt: 2,
  phase: 'waiting',
  orderedBy: null,
  acknowledged: null,
  next: { step: 'nudge', at: now + 240_000, inSeconds: 240, why: 'nudge 3 of 3' },
  findings: [stale],
  checkpointId: null,
};

describe('three lines about an agent', () => {
  it.each<[why: string, change: Partial<AgentView>, lines: readonly string[]]>([
    [
      'well',
      {},
      [
        'ada is HEALTHY for 60 min.',
        'Why: nothing was found against it; last heard 12 s ago.',
        'Next: nothing to do.',
      ],
    ],
    [
      'stuck',
      { state: 'STUCK', stateSince: minutesAgo(15), findings: [stale], incident },
      [
        'ada is STUCK for 15 min.',
        'Why: no checkpoint for 45 min, and nothing else moved (checkpoint-stale; limit: 10 min to warn, 30 min to act).',
        'Next: the agent is nudged in 4 min (nudge 3 of 3). You can: holter decide ada allow_more_time --minutes 15 --reason "…"  or  holter wrong ada --reason "…"',
      ],
    ],
    [
      'silent',
      {
        state: 'DEGRADED',
        liveness: 'unknown',
        cause: 'network-partition',
        findings: [stale, { ...stale, severity: 'warn' }],
      },
      [
        'ada is DEGRADED for 60 min, and nobody knows whether it is alive (network-partition).',
        'Why: no checkpoint for 45 min, and nothing else moved (checkpoint-stale; limit: 10 min to warn, 30 min to act). And 1 more: holter show ada',
        'Next: Holter goes on watching; nobody has to do anything yet.',
      ],
    ],
    [
      'waiting',
      { holds: [{ kind: 'waiting-for-input', since: minutesAgo(5), until: null }] },
      [
        'ada is HEALTHY for 60 min.',
        'Why: nothing is wrong; it is waiting-for-input.',
        'Next: nothing to do.',
      ],
    ],
    [
      'snoozed',
      { quiet: { until: now + 60_000, by: 'ines', reason: 'lunch' } },
      [
        'ada is HEALTHY for 60 min.',
        'Why: nothing was found against it; last heard 12 s ago.',
        'Next: quiet for 60 s by the word of ines (lunch), then it is looked at again.',
      ],
    ],
  ])('%s', (_why, change, lines) => {
    expect(threeLines({ ...healthy, ...change }, now)).toEqual(lines);
  });
});
