import {
  type DurationMs,
  healthMonitoringDefaults,
  type PolicyStep,
  ruleDefaults,
  type WatchMode,
} from '@holter/core';
import { ALERT_FIELDS } from './alert-fields.ts';
import { BUDGET_FIELDS, defaultBudgetSettings } from './budget-fields.ts';
import { type Table, tableReader, type Values } from './check.ts';
import type {
  AgentHealthConfig,
  BudgetsConfig,
  LimitsConfig,
  RuleKey,
  RulesConfig,
  SettingPath,
} from './config.ts';
import { DETECTION_FIELDS, defaultDetectionSettings } from './detection-fields.ts';
import { defaultProgressSettings, PROGRESS_ALIASES, PROGRESS_FIELDS } from './progress-fields.ts';
import { ranges } from './ranges.ts';
import {
  amount,
  backoffInSeconds,
  bytes,
  count,
  duration,
  flag,
  inSeconds,
  oneOf,
  orNone,
} from './readers.ts';
import { snake } from './snake.ts';

/** Every setting that may differ from agent to agent, by the path under which an operator writes it. */
const step = oneOf<PolicyStep>(['escalate', 'terminate']);
const watch = oneOf<WatchMode>(['all', 'tasks']);
const threshold = duration(ranges.threshold);
const wait = duration(ranges.wait);
const holdAge = duration(ranges.holdAge);

export const AGENT_FIELDS = {
  'health_monitoring.enabled': flag,
  'health_monitoring.heartbeat.interval_seconds': inSeconds(ranges.beatInterval),
  'health_monitoring.heartbeat.timeout_seconds': inSeconds(ranges.beatTimeout),
  'health_monitoring.health_check.interval_seconds': inSeconds(ranges.probeInterval),
  'health_monitoring.health_check.checkpoint_stale_threshold_seconds': inSeconds(ranges.threshold),
  'health_monitoring.intervention.nudge.enabled': flag,
  'health_monitoring.intervention.nudge.max_attempts': count(ranges.attempts),
  'health_monitoring.intervention.nudge.interval_seconds': inSeconds(ranges.wait),
  'health_monitoring.intervention.escalation.timeout_seconds': inSeconds(ranges.wait),
  'health_monitoring.intervention.termination.cleanup_timeout_seconds': inSeconds(ranges.cleanup),
  'health_monitoring.recovery.max_attempts_per_task': count(ranges.attempts),
  'health_monitoring.recovery.max_attempts_per_hour': count(ranges.attemptsPerHour),
  'health_monitoring.recovery.backoff_seconds': backoffInSeconds(ranges.backoff, ranges.backoffSteps),
  'rules.slack_share': amount(ranges.share),
  'rules.slack_min': duration(ranges.slack),
  'rules.slack_max': duration(ranges.slack),
  'rules.inquiry_wait': wait,
  'rules.checkpoint_warn': threshold,
  'rules.silence_warn': threshold,
  'rules.silence_act': threshold,
  'rules.silence_act_in_probation': threshold,
  'rules.freeze_flat': threshold,
  'rules.freeze_stopped': threshold,
  'rules.freeze_step': step,
  'rules.failures_in_row_max': count(ranges.inRow),
  'rules.error_rate_max': amount(ranges.share),
  'rules.error_rate_clear': amount(ranges.share),
  'rules.error_window_calls': count(ranges.windowCalls),
  'rules.error_calls_min': count(ranges.windowCalls),
  'rules.unrecoverable_step': step,
  'rules.watch': watch,
  'rules.task_stall': threshold,
  'rules.ack_urgent': threshold,
  'rules.ack_high': threshold,
  'rules.ack_normal': threshold,
  'rules.ack_low': threshold,
  'rules.hold_waiting_for_input': holdAge,
  'rules.hold_waiting_for_permission': holdAge,
  'rules.hold_awaiting_gate': holdAge,
  'rules.hold_rate_limited': holdAge,
  'rules.hold_in_tool': holdAge,
  'rules.hold_asleep': holdAge,
  'rules.hold_paused_by_operator': holdAge,
  'rules.hold_hibernated': holdAge,
  'rules.own_hold_share_max': amount(ranges.ownHoldShare),
  'rules.settle': duration(ranges.settle),
  'rules.nudge_repeats_max': count(ranges.repeats),
  'rules.unattended': flag,
  'rules.handoff_wait': duration(ranges.handoffWait),
  'rules.termination_answer': wait,
  'rules.termination_attempts_max': count(ranges.terminationAttempts),
  'rules.probation': wait,
  'rules.start_wait': wait,
  'rules.incident_close_after': wait,
  'rules.incident_reopen_within': wait,
  'limits.tokens_max': orNone(count(ranges.tokens)),
  'limits.cost_usd_max': orNone(amount(ranges.costUsd)),
  'limits.runtime_max': orNone(duration(ranges.runtime)),
  'limits.memory_max': orNone(bytes(ranges.memory)),
  'limits.step': step,
  ...BUDGET_FIELDS,
  ...ALERT_FIELDS,
  ...DETECTION_FIELDS,
  ...PROGRESS_FIELDS,
} as const satisfies Table & Record<AgentSettingPath, unknown>;

type AgentSettingPath =
  | SettingPath<AgentHealthConfig, 'health_monitoring'>
  | SettingPath<RulesConfig, 'rules'>
  | SettingPath<LimitsConfig, 'limits'>
  | SettingPath<BudgetsConfig, 'budgets'>;

/** The same, with the second names that some settings have. */
export const WRITTEN_FIELDS = { ...AGENT_FIELDS, ...PROGRESS_ALIASES } as const satisfies Table;

/** Only overrides have these: for everybody, seed 000's schema says the same with `heartbeat`. */
export const OVERRIDE_FIELDS = {
  interval_seconds: inSeconds(ranges.beatInterval),
  missed_threshold: count(ranges.missed),
  slack_seconds: inSeconds(ranges.slack),
  watch,
  ...WRITTEN_FIELDS,
} as const satisfies Table;

/** Second names of settings, and what they stand for. */
export const ALIASES = {
  interval_seconds: 'health_monitoring.heartbeat.interval_seconds',
  watch: 'rules.watch',
  'progress_detection.tool_call_analysis.no_calls_threshold': 'rules.silence_act',
} as const satisfies Partial<Record<keyof typeof OVERRIDE_FIELDS, keyof typeof AGENT_FIELDS>>;

/** One agent's settings, complete, in milliseconds. Without the last two they follow from the interval. */
export type Settings = Values<typeof AGENT_FIELDS> & {
  readonly missed_threshold?: number;
  readonly slack_seconds?: DurationMs;
};
export type SettingKey = keyof Settings;

/** 'silenceActInProbation' is written as 'rules.silence_act_in_probation'. */
const rulePath = (key: string): string => `rules.${snake(key)}`;

/** The settings when nobody says anything. */
export function defaultSettings(): Settings {
  const { circuit_breaker: _, ...health } = healthMonitoringDefaults;
  const read = tableReader(AGENT_FIELDS)({ health_monitoring: health }, '').value;
  const { limitStep, degradedProbeFactor: __, ...rules } = ruleDefaults;
  const fromRules = (Object.keys(rules) as RuleKey[]).map((key) => [rulePath(key), rules[key]]);
  const limits = {
    'limits.tokens_max': 'none',
    'limits.cost_usd_max': 'none',
    'limits.runtime_max': 'none',
    'limits.memory_max': 'none',
    'limits.step': limitStep,
  };
  return {
    ...read?.values,
    ...Object.fromEntries(fromRules),
    ...limits,
    ...defaultBudgetSettings,
    ...defaultDetectionSettings(),
    ...defaultProgressSettings,
  } as Settings;
}
