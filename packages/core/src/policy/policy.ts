import type { DurationMs } from '../base/time.ts';
import type { BreakerPolicies } from '../breaker/breaker-policy.ts';
import type { DetectionPolicy } from '../detect/index.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { HoldAges } from '../vocabulary/hold.ts';

/** The settings of one agent, compiled: every duration in milliseconds, every default from `defaults.ts` filled in. */
export type Policy = {
  readonly isEnabled: boolean;
  readonly beat: BeatPolicy;
  /** How often adapters should probe; four times as often while the agent is not HEALTHY. */
  readonly probeEveryMs: DurationMs;
  readonly inquiryWaitMs: DurationMs;
  readonly checkpoint: { readonly warnMs: DurationMs; readonly actMs: DurationMs };
  readonly silence: {
    readonly warnMs: DurationMs;
    readonly actMs: DurationMs;
    readonly probationActMs: DurationMs;
  };
  readonly freeze: { readonly flatMs: DurationMs; readonly stoppedMs: DurationMs; readonly step: PolicyStep };
  readonly failures: FailurePolicy;
  readonly unrecoverableStep: PolicyStep;
  /** What the agent is judged by: everything it has promised, or its tasks alone. */
  readonly watch: WatchMode;
  readonly taskStallMs: DurationMs;
  readonly ackMs: Readonly<Record<'urgent' | 'high' | 'normal' | 'low', DurationMs>>;
  readonly holdMsMax: HoldAges;
  /** The share of the time for which an agent may delay the ladder by holds that it declares itself. */
  readonly ownHoldShareMax: number;
  readonly limits: Limits;
  /** Those that the operator has set. */
  readonly budgets: readonly Budget[];
  /** A better state has to last this long before the agent moves to it. */
  readonly settleMs: DurationMs;
  readonly detection: DetectionPolicy;
  /** Findings of these kinds only warn, or are not made. */
  readonly severityMax: Readonly<Partial<Record<FindingKind, 'warn' | 'none'>>>;
  /** By name; the same for all agents. */
  readonly breakers: BreakerPolicies;
  readonly nudge: NudgePolicy;
  readonly escalation: { readonly waitMs: DurationMs; readonly isUnattended: boolean };
  readonly handoffWaitMs: DurationMs;
  readonly termination: {
    readonly cleanupMs: DurationMs;
    readonly answerMs: DurationMs;
    readonly attemptsMax: number;
  };
  readonly recovery: RecoveryPolicy;
  readonly incident: { readonly closeAfterMs: DurationMs; readonly reopenWithinMs: DurationMs };
};

export type WatchMode = 'all' | 'tasks';

/** A step that an operator may configure in advance; `terminate` is then the operator's decision. */
export type PolicyStep = 'escalate' | 'terminate';

export type BeatPolicy = {
  readonly intervalMs: DurationMs;
  /** Consecutive misses after which it is unknown whether the agent is alive. */
  readonly missedMax: number;
  /** Miss n falls at n × interval + slack, so that a beat still in flight is not counted as missed. */
  readonly slack: { readonly share: number; readonly minMs: DurationMs; readonly maxMs: DurationMs };
};

type FailurePolicy = {
  /** More than this many in a row make the agent FAILING. */
  readonly inRowMax: number;
  readonly rateMax: number;
  /** The rate has to fall below this before the warning clears, so that it does not flap at the edge. */
  readonly rateClear: number;
  readonly windowCalls: number;
  readonly callsMin: number;
};

export type Limits = {
  readonly tokensMax?: number;
  readonly costUsdMax?: number;
  readonly runtimeMsMax?: DurationMs;
  readonly memoryBytesMax?: number;
  readonly step: PolicyStep;
};

export type BudgetScope = 'run' | 'task' | 'agent' | 'group' | 'day';

/** `warn` only tells; the others are where the incident begins. */
export type BudgetStep = 'warn' | 'nudge' | 'escalate' | 'stop';

/** How much may be spent. `agent`, `group` and `day` (the whole fleet) are for one day in UTC. */
export type Budget = {
  readonly scope: BudgetScope;
  readonly costUsdMax?: number;
  readonly tokensMax?: number;
  /** The share from which on there is a warning. */
  readonly warnAt: number;
  readonly atLimit: BudgetStep;
};

type NudgePolicy = {
  readonly isEnabled: boolean;
  readonly attemptsMax: number;
  readonly waitMs: DurationMs;
  /** This many further repeats of a loop end the wait early. */
  readonly repeatsMax: number;
};

type RecoveryPolicy = {
  readonly isEnabled: boolean;
  readonly attemptsPerTaskMax: number;
  readonly attemptsPerHourMax: number;
  readonly backoffMs: readonly DurationMs[];
  readonly probationMs: DurationMs;
  /** How long a successor may take to register before the attempt counts as failed. */
  readonly startMs: DurationMs;
  /** Whether people are told of each attempt that fails; the watchdog chain tells of a crash loop instead. */
  readonly isFailureTold?: false;
};

/** Settings that concern many agents at once; see `fleet/guard.ts`. */
export type FleetPolicy = {
  readonly brake: {
    readonly lossesMin: number;
    readonly share: number;
    readonly calmMs: DurationMs;
    readonly releaseEveryMs: DurationMs;
  };
  readonly budgets: Readonly<
    Record<'nudge' | 'notice' | 'start', { readonly perMinute: number; readonly burst: number }>
  >;
};
