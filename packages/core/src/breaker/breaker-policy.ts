import type { DurationMs } from '../base/time.ts';

/** When a breaker opens, how long it stays open, and how many may try while it is half open. */
export type BreakerPolicy = {
  /** `consecutive` trips at `failuresMax` in a row; the others at a share of the newest outcomes. */
  readonly mode: 'consecutive' | 'ratio' | 'slow';
  readonly failuresMax: number;
  readonly openMs: DurationMs;
  readonly halfOpenPermits: number;
  /** Share of failures (or of slow calls) that trips; only for `ratio` and `slow`. */
  readonly ratioMax: number;
  /** Fewer outcomes than this never trip it. */
  readonly volumeMin: number;
  readonly windowCalls: number;
  readonly slowMs: DurationMs;
  /** A permit that is not reported by then expires, and another caller may try. */
  readonly permitMs: DurationMs;
  /** Each trip in a row makes the break this much longer, up to `openMsMax`. */
  readonly openGrowth: number;
  readonly openMsMax: DurationMs;
  /** The roll adds up to this share of a break, so that callers do not all return at the same time. */
  readonly jitter: number;
  /** What callers do while the store is away. */
  readonly whenStoreIsAway: 'pass' | 'refuse';
};

export type BreakerPolicies = {
  readonly default: BreakerPolicy;
  readonly overrides: ReadonlyMap<string, BreakerPolicy>;
};

export function breakerFor(set: { readonly breakers: BreakerPolicies }, name: string): BreakerPolicy {
  return set.breakers.overrides.get(name) ?? set.breakers.default;
}
