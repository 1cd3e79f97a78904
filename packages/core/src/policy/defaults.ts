import { hours, minutes, seconds } from '../base/time.ts';
import type { FleetPolicy } from './policy.ts';

/**
 * The one home of every number. What stands in `healthMonitoring` is seed 000 §7, key by key, in its units; what
 * stands in `rules` are Holter's additions, each with its reason.
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
  alerting: {
    stuck_agent: { channels: ['slack', 'pagerduty'], severity: 'warning' },
    circuit_breaker_open: { channels: ['slack'], severity: 'warning' },
    recovery_failed: { channels: ['slack', 'pagerduty'], severity: 'critical' },
  },
} as const;

/** Roles (seed 001 §1.3.2, seed 002): how often they beat, and how many misses are too many. */
export const profileDefaults = {
  'critical-infrastructure': { interval_seconds: 30, missed_threshold: 2 },
  'active-development': { interval_seconds: 60, missed_threshold: 3 },
  background: { interval_seconds: 300, missed_threshold: 3 },
  standby: { interval_seconds: 900, missed_threshold: 5 },
  // The ping goes out before the beat is due, so its answer needs no slack: gone 4 s after the last proof.
  'in-process': { interval_seconds: 2, missed_threshold: 2, slack_seconds: 0 },
} as const;

export const ruleDefaults = {
  // Seed 001 §1.3: a quarter of the interval is long enough for a slow network, short enough to matter.
  slackShare: 0.25,
  slackMin: seconds(1),
  slackMax: seconds(60),
  // While DEGRADED, adapters look this many times as often.
  degradedProbeFactor: 4,
  // Seed 001 §1.5.3: a high-priority inquiry has five minutes.
  inquiryWait: minutes(5),
  // Seed 000 §1: fresh below 10 min. The seed leaves 20–30 min to no state; Holter calls it DEGRADED.
  checkpointWarn: minutes(10),
  // Model calls of four minutes exist; seed 000's no_calls_threshold is 900 s.
  silenceWarn: seconds(240),
  silenceAct: seconds(900),
  // A successor that says nothing for 5 min has taken nothing up.
  silenceActInProbation: minutes(5),
  // Flat for 5 min is longer than any model call that is not retried without a sign.
  freezeFlat: minutes(5),
  // Long enough for somebody who pressed Ctrl-Z and comes back.
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
  // Seed 001 §1.5.2.
  taskStall: minutes(30),
  // Seed 001 §1.4.3.
  ackUrgent: minutes(2),
  ackHigh: minutes(5),
  ackNormal: minutes(15),
  ackLow: hours(1),
  // After this a person is told that a hold seems forgotten. It never kills.
  holdWaitingForInput: hours(24),
  holdWaitingForPermission: hours(12),
  holdAwaitingGate: hours(24),
  holdRateLimited: hours(6),
  holdInTool: hours(2),
  holdAsleep: hours(24),
  holdPausedByOperator: hours(24 * 7),
  holdHibernated: hours(24 * 30),
  limitStep: 'escalate',
  // An agent that beats exactly at its deadline must not flap.
  settle: seconds(60),
  // Seed 000 waits 10 min between nudges; a fast loop makes five repeats much sooner.
  nudgeRepeatsMax: 5,
  unattended: false,
  handoffWait: minutes(5),
  // Beyond the cleanup: the executor's own journey. Then it is not coming back, and a person is told.
  terminationAnswer: seconds(60),
  terminationAttemptsMax: 2,
  // Seed 000 §5.
  probation: minutes(15),
  startWait: minutes(2),
  incidentCloseAfter: minutes(10),
  incidentReopenWithin: minutes(30),
} as const;

export const fleetDefaults: FleetPolicy = {
  // More than 3 and more than a fifth of a group at once: the monitor or the network is the suspect.
  brake: { lossesMin: 3, share: 0.2, calmMs: seconds(120), releaseEveryMs: seconds(30) },
  // Enough for a large fleet's ordinary day, too little for a storm.
  budgets: {
    nudge: { perMinute: 60, burst: 60 },
    notice: { perMinute: 30, burst: 30 },
    start: { perMinute: 20, burst: 20 },
  },
};

/** What seed 000's schema leaves open about breakers. */
export const breakerDefaults = {
  mode: 'consecutive',
  ratioMax: 0.5,
  volumeMin: 10,
  windowCalls: 20,
  slowMs: seconds(30),
  // Longer than most calls; what takes longer may report in vain, and somebody else has tried meanwhile.
  permitMs: seconds(60),
  // Doubling, up to an hour: a service that is down for long is asked rarely.
  openGrowth: 2,
  openMsMax: hours(1),
  // A tenth is enough to break step.
  jitter: 0.1,
} as const;

/** Who may go on without the store: a call to a service does little harm, a start does. */
export const refusedWithoutStore: readonly string[] = ['recovery_attempt'];

/** Grace of a deadline for agents that promised no beats. */
export const GRACE_WITHOUT_BEATS = minutes(1);
