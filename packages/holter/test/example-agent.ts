import { instant } from '@holter/core';
import type { AgentView, FindingView, IncidentView } from '@holter/server/local';

/** An agent that is well, a finding and an incident, for tests. */
export const now = instant(10_000_000);
export const minutesAgo = (n: number): number => now - n * 60_000;

export const exampleReady: NonNullable<AgentView['ready']> = {
  nudge: { by: 'its hooks', because: null },
  stop: { by: 'its `holter run`', because: null },
  restarts: { left: 1, because: null },
  checkpoints: [
    { checkpointId: 'c3', at: minutesAgo(2) },
    { checkpointId: 'c2', at: minutesAgo(12) },
  ],
};

export const exampleAgent: AgentView = {
  at: now,
  agentId: 'ada',
  incarnation: 1,
  role: 'default',
  group: 'default',
  mode: 'nudge',
  can: ['nudge'],
  executor: null,
  patience: null,
  promises: {},
  inferred: [],
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
  clockSkewMs: null,
  phase: null,
  tokens: null,
  costUsd: null,
  errorCount: null,
  job: null,
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
  ready: null,
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

export const exampleFinding: FindingView = {
  kind: 'checkpoint-stale',
  severity: 'act',
  source: 'agent-reports',
  since: minutesAgo(45),
  evidence: 'no checkpoint for 45 min, and nothing else moved',
  threshold: '10 min to warn, 30 min to act',
  count: null,
  progress: 'a checkpoint',
};

export const exampleIncident: IncidentView = {
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
  orderReason: null,
  acknowledged: null,
  nudges: null,
  noticedAt: null,
  next: { step: 'nudge', at: now + 240_000, inSeconds: 240, why: 'nudge 3 of 3' },
  findings: [exampleFinding],
  checkpointId: null,
  ready: exampleReady,
};
