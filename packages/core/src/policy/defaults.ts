import { hours, minutes, seconds } from '../base/time.ts';
import type { FleetPolicy } from './policy.ts';

/**
 * The default of every setting. `healthMonitoring` is seed 000 §7, key by key, in its units; `rules` are Holter's
 * additions, each with its reason.
 */
export const healthMonitoringDefaults = {
  enabled: true,
  heartbeat: { interval_seconds: 300, timeout_seconds: 600 },
  health_check: { interval_seconds: 60, checkpoint_stale_threshold_seconds: 1800 },
  intervention: {
    nudge: { enabled: true, max_attempts: 3, interval_seconds: 600 },
    escalation: { timeout_seconds: 900 },
    termination: { cleanup_timeout_seconds: 30 },
  },
  circuit_breaker: {
    default: { failure_threshold: 3, recovery_timeout_seconds: 60, half_open_requests: 1 },
    overrides: {
      tool_execution: { failure_threshold: 5, recovery_timeout_seconds: 30 },
      checkpoint_write: { failure_threshold: 3, recovery_timeout_seconds: 120 },
    },
  },
  recovery: { max_attempts_per_task: 3, max_attempts_per_hour: 5, backoff_seconds: [60, 120, 240] },
  /** Severities as in the seed. Its channels have to be defined first, so by default every defined one is used. */
  alerting: {
    stuck_agent: { channels: 'all', severity: 'warning', when: 'escalated', orchestrator: [] },
    circuit_breaker_open: { channels: 'all', severity: 'warning' },
    recovery_failed: { channels: 'all', severity: 'critical' },
    waiting_for_person: { channels: 'all', severity: 'warning', after: 60 },
    limit_exceeded: { channels: 'all', severity: 'warning' },
    agent_failed: { channels: 'all', severity: 'warning' },
    holter_unwell: { channels: 'all', severity: 'critical' },
  },
} as const;

/** Roles (seed 001 §1.3.2, seed 002): the beat interval and the misses allowed. */
export const profileDefaults = {
  'critical-infrastructure': { interval_seconds: 30, missed_threshold: 2 },
  'active-development': { interval_seconds: 60, missed_threshold: 3 },
  background: { interval_seconds: 300, missed_threshold: 3 },
  standby: { interval_seconds: 900, missed_threshold: 5 },
  // The ping goes out before the beat is due, so its answer needs no slack: the agent is gone 4 s after its last
  // proof.
  'in-process': { interval_seconds: 2, missed_threshold: 2, slack_seconds: 0 },
} as const;

/** Other words for the roles of seed 001, which calls two of them by two names. */
export const profileAliases = {
  critical: 'critical-infrastructure',
  development: 'active-development',
  batch: 'background',
  'batch-processing': 'background',
  'background-batch-processing': 'background',
  idle: 'standby',
  'idle-standby': 'standby',
} as const satisfies Readonly<Record<string, keyof typeof profileDefaults>>;

export const ruleDefaults = {
  // Seed 001 §1.3: a quarter of the interval covers a slow network and still detects a loss soon.
  slackShare: 0.25,
  slackMin: seconds(1),
  slackMax: seconds(60),
  // While the agent is DEGRADED, adapters probe this many times as often.
  degradedProbeFactor: 4,
  // Seed 001 §1.5.3: a high-priority inquiry has five minutes.
  inquiryWait: minutes(5),
  // Seed 000 §1: fresh below 10 min. The seed assigns no state to 20–30 min; Holter calls it DEGRADED.
  checkpointWarn: minutes(10),
  // Model calls of four minutes exist; seed 000's no_calls_threshold is 900 s.
  silenceWarn: seconds(240),
  silenceAct: seconds(900),
  // A successor that reports nothing for 5 min has not started on its task.
  silenceActInProbation: minutes(5),
  // Longer than any model call that gives no sign of being retried.
  freezeFlat: minutes(5),
  // Leaves time to come back after a Ctrl-Z.
  freezeStopped: seconds(60),
  freezeStep: 'escalate',
  // Seed 000 §1: "consecutive failures (> 3)", "high error rate (> 25%)".
  failuresInRowMax: 3,
  errorRateMax: 0.25,
  // Ten points of hysteresis.
  errorRateClear: 0.15,
  errorWindowCalls: 20,
  errorCallsMin: 8,
  unrecoverableStep: 'escalate',
  // Seed 001, troubleshooting: `tasks` is for agents whose work blocks them for long.
  watch: 'all',
  // Seed 001 §1.5.2.
  taskStall: minutes(30),
  // Seed 001 §1.4.3.
  ackUrgent: minutes(2),
  ackHigh: minutes(5),
  ackNormal: minutes(15),
  ackLow: hours(1),
  // After this age a person is told that a hold seems forgotten. A hold's age never causes a kill.
  holdWaitingForInput: hours(24),
  holdWaitingForPermission: hours(12),
  holdAwaitingGate: hours(24),
  holdRateLimited: hours(6),
  holdInTool: hours(2),
  holdAsleep: hours(24),
  holdPausedByOperator: hours(24 * 7),
  holdHibernated: hours(24 * 30),
  // A wait of the ladder may become four times as long, so that real rate limits and questions are respected.
  ownHoldShareMax: 0.75,
  limitStep: 'escalate',
  // An agent that beats exactly at its deadline must not flap.
  settle: seconds(60),
  // Seed 000 waits 10 min between nudges; a fast loop makes five repeats much sooner.
  nudgeRepeatsMax: 5,
  // Seed 000 §3: the time for a decision runs from the notice. False waits until somebody was shown it.
  unattended: true,
  handoffWait: minutes(5),
  // On top of the cleanup time, for the executor's own round trip. After it a person is told.
  terminationAnswer: seconds(60),
  terminationAttemptsMax: 2,
  // Seed 000 §5.
  probation: minutes(15),
  startWait: minutes(2),
  incidentCloseAfter: minutes(10),
  incidentReopenWithin: minutes(30),
} as const;

export const fleetDefaults: FleetPolicy = {
  // More than 3 and more than a fifth of a group at once: the monitor or the network is the likely cause.
  brake: { lossesMin: 3, share: 0.2, calmMs: seconds(120), releaseEveryMs: seconds(30) },
  // Enough for an ordinary day of a large fleet, too little for a storm.
  budgets: {
    nudge: { perMinute: 60, burst: 60 },
    notice: { perMinute: 30, burst: 30 },
    start: { perMinute: 20, burst: 20 },
  },
};

/** What keeps one group, or a flood of fake agents, from using up the brake and the budgets of the others. */
export const fleetGuarantees = {
  // An agent counts for the brake, and spends its group's own share, once it has been heard for this long without a
  // gap. Long enough that fake agents cost more than a registration, short enough for the first hour of a fleet.
  kept: minutes(5),
  // The own share of each group, on top of the common budgets: a fifth of each, and at least one.
  budgetShare: 0.2,
  // A mass failure brakes for a few minutes. Half an hour is several of them; after that, five minutes of every hour.
  brakeMax: minutes(30),
  brakeRefill: minutes(5) / hours(1),
} as const;

/** What seed 000's schema does not define about breakers. */
export const breakerDefaults = {
  mode: 'consecutive',
  ratioMax: 0.5,
  volumeMin: 10,
  windowCalls: 20,
  slowMs: seconds(30),
  // Longer than most calls. A result that arrives later is ignored, because another caller has had the permit since.
  permitMs: seconds(60),
  // Doubling up to an hour: a service that is down for long is rarely tried.
  openGrowth: 2,
  openMsMax: hours(1),
  // A tenth is enough to spread the callers.
  jitter: 0.1,
} as const;

/** Breakers that refuse while the store is away. A call to a service does little harm; a start may. */
export const refusedWithoutStore: readonly string[] = ['recovery_attempt'];

/** Grace of a deadline for agents that promised no beats. */
export const GRACE_WITHOUT_BEATS = minutes(1);
