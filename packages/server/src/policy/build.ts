import type { BeatPolicy, BreakerPolicies, Budget, DurationMs, Limits, Policy } from '@holter/core';
import { buildBudgets } from './budget-fields.ts';
import { buildDetection } from './detection-fields.ts';
import type { Settings } from './fields.ts';
import { buildSeverityMax } from './progress-fields.ts';

/** The parts that are the same for all agents. */
export type SharedPolicy = {
  readonly breakers: BreakerPolicies;
  readonly dayBudget: readonly Budget[];
};

/** Settings, as an operator thinks of them, into the numbers that the rules read. */
export function buildPolicy(settings: Settings, { breakers, dayBudget }: SharedPolicy): Policy {
  const attemptsPerTaskMax = settings['health_monitoring.recovery.max_attempts_per_task'];
  const attemptsPerHourMax = settings['health_monitoring.recovery.max_attempts_per_hour'];
  const nudgesMax = settings['health_monitoring.intervention.nudge.max_attempts'];
  return {
    isEnabled: settings['health_monitoring.enabled'],
    beat: buildBeat(settings),
    probeEveryMs: settings['health_monitoring.health_check.interval_seconds'],
    inquiryWaitMs: settings['rules.inquiry_wait'],
    checkpoint: {
      warnMs: settings['rules.checkpoint_warn'],
      actMs: notBefore(
        settings['rules.checkpoint_warn'],
        settings['health_monitoring.health_check.checkpoint_stale_threshold_seconds'],
      ),
    },
    silence: {
      warnMs: settings['rules.silence_warn'],
      actMs: notBefore(settings['rules.silence_warn'], settings['rules.silence_act']),
      probationActMs: settings['rules.silence_act_in_probation'],
    },
    freeze: {
      flatMs: settings['rules.freeze_flat'],
      stoppedMs: settings['rules.freeze_stopped'],
      step: settings['rules.freeze_step'],
    },
    failures: {
      inRowMax: settings['rules.failures_in_row_max'],
      rateMax: settings['rules.error_rate_max'],
      rateClear: Math.min(settings['rules.error_rate_clear'], settings['rules.error_rate_max']),
      windowCalls: settings['rules.error_window_calls'],
      callsMin: Math.min(settings['rules.error_calls_min'], settings['rules.error_window_calls']),
    },
    unrecoverableStep: settings['rules.unrecoverable_step'],
    watch: settings['rules.watch'],
    taskStallMs: settings['rules.task_stall'],
    ackMs: {
      urgent: settings['rules.ack_urgent'],
      high: settings['rules.ack_high'],
      normal: settings['rules.ack_normal'],
      low: settings['rules.ack_low'],
    },
    holdMsMax: {
      'waiting-for-input': settings['rules.hold_waiting_for_input'],
      'waiting-for-permission': settings['rules.hold_waiting_for_permission'],
      'awaiting-gate': settings['rules.hold_awaiting_gate'],
      'rate-limited': settings['rules.hold_rate_limited'],
      'in-tool': settings['rules.hold_in_tool'],
      asleep: settings['rules.hold_asleep'],
      'paused-by-operator': settings['rules.hold_paused_by_operator'],
      hibernated: settings['rules.hold_hibernated'],
    },
    ownHoldShareMax: settings['rules.own_hold_share_max'],
    limits: buildLimits(settings),
    budgets: [...buildBudgets(settings), ...dayBudget],
    settleMs: settings['rules.settle'],
    detection: buildDetection(settings),
    severityMax: buildSeverityMax(settings),
    breakers,
    nudge: {
      isEnabled: settings['health_monitoring.intervention.nudge.enabled'] && nudgesMax > 0,
      attemptsMax: nudgesMax,
      waitMs: settings['health_monitoring.intervention.nudge.interval_seconds'],
      repeatsMax: settings['rules.nudge_repeats_max'],
    },
    escalation: {
      waitMs: settings['health_monitoring.intervention.escalation.timeout_seconds'],
      isUnattended: settings['rules.unattended'],
    },
    handoffWaitMs: settings['rules.handoff_wait'],
    termination: {
      cleanupMs: settings['health_monitoring.intervention.termination.cleanup_timeout_seconds'],
      answerMs: settings['rules.termination_answer'],
      attemptsMax: settings['rules.termination_attempts_max'],
    },
    recovery: {
      // Seed 000's schema has no switch for recovery: no attempts allowed is the switch.
      isEnabled: attemptsPerTaskMax > 0 && attemptsPerHourMax > 0,
      attemptsPerTaskMax,
      attemptsPerHourMax,
      backoffMs: settings['health_monitoring.recovery.backoff_seconds'],
      probationMs: settings['rules.probation'],
      startMs: settings['rules.start_wait'],
    },
    incident: {
      closeAfterMs: settings['rules.incident_close_after'],
      reopenWithinMs: settings['rules.incident_reopen_within'],
    },
  };
}

/**
 * Layers that are sound each by itself can still cross: a role that warns late, an agent that acts early.
 * Then Holter errs on the patient side and never acts before it has warned.
 */
const notBefore = (warn: DurationMs, act: DurationMs): DurationMs => (act < warn ? warn : act);

export function buildBeat(settings: Settings): BeatPolicy {
  const intervalMs = settings['health_monitoring.heartbeat.interval_seconds'];
  return { intervalMs, missedMax: missedMax(settings), slack: buildSlack(settings) };
}

/** As many misses as fit into the time-out, and at least one. */
export function missedMax(settings: Settings): number {
  if (settings.missed_threshold !== undefined) return settings.missed_threshold;
  const interval = settings['health_monitoring.heartbeat.interval_seconds'];
  return Math.max(1, Math.ceil(settings['health_monitoring.heartbeat.timeout_seconds'] / interval));
}

function buildSlack(settings: Settings): BeatPolicy['slack'] {
  const fixed = settings.slack_seconds;
  if (fixed !== undefined) return { share: 0, minMs: fixed, maxMs: fixed };
  const { 'rules.slack_share': share, 'rules.slack_min': minMs, 'rules.slack_max': maxMs } = settings;
  return { share, minMs, maxMs };
}

/** An absent limit is no limit. */
function buildLimits(settings: Settings): Limits {
  const tokensMax = settings['limits.tokens_max'];
  const costUsdMax = settings['limits.cost_usd_max'];
  const runtimeMsMax = settings['limits.runtime_max'];
  const memoryBytesMax = settings['limits.memory_max'];
  return {
    ...(tokensMax === 'none' ? {} : { tokensMax }),
    ...(costUsdMax === 'none' ? {} : { costUsdMax }),
    ...(runtimeMsMax === 'none' ? {} : { runtimeMsMax }),
    ...(memoryBytesMax === 'none' ? {} : { memoryBytesMax }),
    step: settings['limits.step'],
  };
}
