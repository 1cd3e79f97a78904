import type {
  BudgetStep,
  DurationMs,
  NoticeSeverity,
  PolicyStep,
  ruleDefaults,
  WatchMode,
} from '@holter/core';
import type { ChannelType } from './channel-fields.ts';
import type { LimitEnd, LimitName } from './detection-fields.ts';
import type { Snake } from './snake.ts';

/** What an operator writes in `holter.yaml`. Every key is optional; `defaults.ts` has the rest. */
export type HolterConfig = OverrideSections & {
  /** Seed 000 §7. */
  readonly health_monitoring?: HealthMonitoringConfig;
  /** By role. */
  readonly profiles?: Readonly<Record<string, OverrideConfig>>;
  readonly groups?: Readonly<Record<string, OverrideConfig>>;
  readonly agents?: Readonly<Record<string, OverrideConfig>>;
  readonly fleet?: FleetConfig;
  readonly budgets?: BudgetsConfig & { readonly day?: SpendingBudgetConfig };
  /** Dollars per million tokens, by model; comes before the prices that Holter ships. */
  readonly prices?: Readonly<Record<string, PriceConfig>>;
  readonly quotas?: QuotasConfig;
  readonly metrics?: { readonly per_agent?: boolean; readonly agents_max?: number };
  readonly dead_man_ping?: {
    readonly url?: string;
    readonly url_env?: string;
    readonly url_file?: string;
    readonly every?: Duration;
  };
  readonly tracing?: {
    readonly endpoint?: string;
    readonly heartbeat_ratio?: number;
    readonly check_ratio?: number;
  };
  readonly log?: { readonly max_bytes?: Bytes; readonly files?: number };
  readonly mail?: { readonly name?: string };
  readonly maestro_port?: number;
  readonly ecos?: { readonly folder?: string };
  readonly judge?: {
    readonly folders?: readonly string[];
    readonly interval_seconds?: Duration;
    readonly cooldown_seconds?: Duration;
    readonly streaks?: readonly number[];
    readonly stall_seconds?: Duration;
    readonly command?: readonly string[];
    readonly command_env?: readonly string[];
    readonly model?: {
      readonly provider: 'anthropic' | 'openai';
      readonly name: string;
      readonly url?: string;
      readonly key_env?: string;
    };
    readonly prompt?: string;
    readonly timeout_seconds?: Duration;
    readonly tokens_per_day?: number;
    readonly usd_per_day?: number;
  };
  readonly tmux?: { readonly escape_hung_model?: boolean; readonly hung_model_after?: Duration };
  readonly town?: {
    readonly socket?: string;
    readonly deacon_command?: readonly string[];
    readonly boot_command?: readonly string[];
    readonly agents?: Readonly<
      Record<string, { readonly command: readonly string[]; readonly group?: string }>
    >;
  };
  readonly top?: { readonly triage_command?: readonly string[] };
  readonly retention?: {
    readonly events?: Duration;
    readonly checkpoints?: Duration;
    readonly effects?: Duration;
    readonly rollups?: Duration;
    readonly tokens?: Duration;
    readonly letters?: Duration;
    readonly agents?: Duration;
  };
  /** Where alerts can be sent, by name; see docs/alerts.md for the keys of each type. */
  readonly channels?: Readonly<
    Record<string, { readonly type: ChannelType; readonly [key: string]: unknown }>
  >;
  /** The address under which people reach the page, for links in alerts. */
  readonly public_url?: string;
  readonly database?: string;
  readonly hosts?: readonly string[];
  readonly trusted_proxies?: readonly string[];
  readonly tls?: { readonly cert?: string; readonly key?: string };
  readonly drain?: Duration;
};

/** '500ms', '90s', '15m', '2h', '1d', or a number of seconds. */
type Duration = string | number;
/** '512MB', '2GB', '2GiB', or a number of bytes. */
type Bytes = string | number;

/** What may differ from agent to agent. */
type OverrideSections = {
  readonly health_monitoring?: AgentHealthConfig;
  readonly rules?: RulesConfig;
  readonly limits?: LimitsConfig;
  readonly budgets?: BudgetsConfig;
  readonly detection?: DetectionConfig;
  readonly progress_detection?: ProgressConfig;
};

/** The first three are the short way to say when silence is too long. */
type OverrideConfig = OverrideSections & {
  readonly interval_seconds?: Duration;
  /** Consecutive misses; stands in for `timeout_seconds`. */
  readonly missed_threshold?: number;
  readonly slack_seconds?: Duration;
  /** Short for `rules.watch`. */
  readonly watch?: WatchMode;
};

export type AgentHealthConfig = {
  readonly enabled?: boolean;
  readonly heartbeat?: { readonly interval_seconds?: Duration; readonly timeout_seconds?: Duration };
  readonly health_check?: {
    readonly interval_seconds?: Duration;
    readonly checkpoint_stale_threshold_seconds?: Duration;
  };
  readonly intervention?: {
    readonly nudge?: {
      readonly enabled?: boolean;
      readonly max_attempts?: number;
      readonly interval_seconds?: Duration;
    };
    readonly escalation?: { readonly timeout_seconds?: Duration };
    readonly termination?: { readonly cleanup_timeout_seconds?: Duration };
  };
  readonly recovery?: {
    readonly max_attempts_per_task?: number;
    readonly max_attempts_per_hour?: number;
    readonly backoff_seconds?: readonly Duration[];
  };
  readonly alerting?: {
    readonly stuck_agent?: AlertConfig & {
      readonly when?: 'stuck' | 'escalated';
      readonly orchestrator?: readonly string[];
    };
    readonly circuit_breaker_open?: AlertConfig;
    readonly recovery_failed?: AlertConfig;
    readonly waiting_for_person?: AlertConfig & { readonly after?: Duration };
    readonly limit_exceeded?: AlertConfig;
    readonly agent_failed?: AlertConfig;
    readonly holter_unwell?: AlertConfig;
  };
};

type HealthMonitoringConfig = AgentHealthConfig & {
  readonly circuit_breaker?: {
    readonly default?: BreakerConfig;
    readonly overrides?: Readonly<Record<string, NamedBreakerConfig>>;
  };
};

type BreakerConfig = {
  readonly failure_threshold?: number;
  readonly recovery_timeout_seconds?: Duration;
  readonly half_open_requests?: number;
};

type NamedBreakerConfig = BreakerConfig & {
  /** What opens it: failures in a row, or a share of the newest calls that failed, or that failed or were slow. */
  readonly mode?: 'consecutive' | 'ratio' | 'slow';
  readonly ratio?: number;
  readonly minimum_calls?: number;
  readonly window_calls?: number;
  readonly slow_seconds?: Duration;
};

type AlertConfig = {
  readonly channels?: readonly string[] | 'all';
  readonly severity?: NoticeSeverity;
};

type Written<T> = T extends DurationMs
  ? Duration
  : T extends boolean
    ? boolean
    : T extends number
      ? number
      : T extends 'all'
        ? WatchMode
        : PolicyStep;

/**
 * Rules of `defaults.ts` that an operator may set. The limits' step stands with the limits, and how much
 * closer adapters look at an agent in trouble is not a policy but a ratio of the design.
 */
export type RuleKey = Exclude<keyof typeof ruleDefaults, 'limitStep' | 'degradedProbeFactor'>;

/** The same names as in `defaults.ts`, as YAML writes them: a rule that is added there has to appear here. */
export type RulesConfig = { readonly [K in RuleKey as Snake<K>]?: Written<(typeof ruleDefaults)[K]> };

/** `none` lifts a limit that a wider layer has set. */
export type LimitsConfig = {
  readonly tokens_max?: number | 'none';
  readonly cost_usd_max?: number | 'none';
  readonly runtime_max?: Duration;
  readonly memory_max?: Bytes;
  readonly step?: PolicyStep;
};

/** `usd`, `tokens` or both; see docs/cost.md. `agent` and `group` are for one day. */
export type BudgetsConfig = {
  readonly run?: SpendingBudgetConfig;
  readonly task?: SpendingBudgetConfig;
  readonly agent?: SpendingBudgetConfig;
  readonly group?: SpendingBudgetConfig;
};

type SpendingBudgetConfig = {
  readonly usd?: number | 'none';
  readonly tokens?: number | 'none';
  readonly warn_at?: number;
  readonly at_limit?: BudgetStep;
};

type PriceConfig = {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_hour?: number;
};

/** How often is too often, by detector; see docs/detection.md. */
type DetectionConfig = {
  readonly [Name in LimitName as Snake<Name>]?: { readonly [End in LimitEnd<Name>]?: number };
} & {
  readonly spending?: { readonly tokens?: number; readonly cost_usd?: number };
  readonly spaced?: Duration;
  /** Tools that wait by nature. */
  readonly pollers?: readonly string[];
};

/** Seed 000 §2. */
type ProgressConfig = {
  readonly checkpoint_comparison?: boolean;
  readonly tool_call_analysis?: {
    readonly repeated_identical?: 'stuck' | 'potential_loop' | 'healthy';
    readonly no_calls_threshold?: Duration;
    readonly diverse_calls?: 'healthy';
  };
  readonly token_consumption?: {
    readonly sudden_spike?: 'potential_loop' | 'healthy';
    readonly zero_consumption?: 'stuck' | 'potential_loop' | 'healthy';
    readonly steady_rate?: 'healthy';
  };
};

type FleetConfig = {
  readonly brake?: {
    readonly losses_min?: number;
    readonly share?: number;
    readonly calm?: Duration;
    readonly release_every?: Duration;
  };
  readonly budgets?: {
    readonly nudge?: BudgetConfig;
    readonly notice?: BudgetConfig;
    readonly start?: BudgetConfig;
  };
};

type QuotasConfig = {
  readonly per_agent?: {
    readonly checkpoint_bytes?: Bytes;
    readonly checkpoints?: number;
    readonly tokens?: number;
    readonly starts_per_minute?: number;
    readonly audit_rows_per_minute?: number;
    readonly audit_bytes_per_minute?: Bytes;
    readonly requests_per_second?: number;
  };
  readonly per_token?: {
    readonly requests_per_second?: number;
    readonly agents?: number;
    readonly streams?: number;
  };
  readonly streams?: number;
};

type BudgetConfig = { readonly per_minute?: number; readonly burst?: number };

type Scalar = string | number | boolean | readonly unknown[];

/** The dotted paths of all settings below a section, so that a table of them can't miss one. */
export type SettingPath<Section, Path extends string> = {
  [K in keyof Section & string]-?: NonNullable<Section[K]> extends Scalar
    ? `${Path}.${K}`
    : SettingPath<NonNullable<Section[K]>, `${Path}.${K}`>;
}[keyof Section & string];
