import type { DurationMs, Instant } from '../base/time.ts';
import { later } from '../base/time.ts';
import type { BreakerState } from '../vocabulary/event.ts';
import type { BreakerPolicy } from './breaker-policy.ts';

/**
 * A circuit breaker as plain JSON (seed 000 §4). It has no timers: whether it is open or half open follows from
 * stored times, so it survives a restart and can be shared. Every change of state starts a new generation; a result
 * from an older generation is dropped, because it says nothing about the present.
 */
export type Breaker = {
  readonly state: BreakerState;
  readonly generation: number;
  /** Consecutive failures while CLOSED. */
  readonly failures: number;
  /** Newest outcomes while CLOSED, oldest first: `.` success, `x` failure, `s` slow. For ratio and slow modes. */
  readonly outcomes: string;
  /** Meaningful unless CLOSED. */
  readonly openedAt: Instant;
  readonly openMs: DurationMs;
  /** Trips in a row without a successful trial call; each makes the break longer. */
  readonly trips: number;
  /** Permits given out while HALF_OPEN. A permit is a lease: one that is never reported expires. */
  readonly permits: readonly Permit[];
  readonly isolation?: Isolation;
};

type Permit = { readonly id: number; readonly expiresAt: Instant };

/** Held open by an operator, regardless of reports, until reset or until the time is over. */
export type Isolation = { readonly by: string; readonly reason: string; readonly until: Instant };

export const closedBreaker: Breaker = {
  state: 'CLOSED',
  generation: 0,
  failures: 0,
  outcomes: '',
  openedAt: 0 as Instant,
  openMs: 0 as DurationMs,
  trips: 0,
  permits: [],
};

export type Acquired =
  | { readonly kind: 'permit'; readonly generation: number; readonly permitId: number }
  | {
      readonly kind: 'refused';
      readonly because: 'open' | 'isolated' | 'half-open';
      readonly retryAt: Instant;
    };

/** The state as of `at`: a break that is over is half open, without any input. */
export function stateAt(breaker: Breaker, at: Instant): BreakerState {
  if (breaker.isolation && at < breaker.isolation.until) return 'OPEN';
  return breaker.state === 'OPEN' && at >= later(breaker.openedAt, breaker.openMs)
    ? 'HALF_OPEN'
    : breaker.state;
}

/** Asks for a permit. A CLOSED breaker does not change, which makes asking cheap. */
export function acquire(
  breaker: Breaker,
  at: Instant,
  policy: BreakerPolicy,
): { readonly breaker: Breaker; readonly answer: Acquired } {
  if (breaker.state === 'CLOSED' && !breaker.isolation) {
    return { breaker, answer: { kind: 'permit', generation: breaker.generation, permitId: 0 } };
  }
  const settled = settle(breaker, at);
  if (settled.isolation) {
    return {
      breaker: settled,
      answer: { kind: 'refused', because: 'isolated', retryAt: settled.isolation.until },
    };
  }
  if (settled.state === 'CLOSED') return acquire(settled, at, policy);
  if (settled.state === 'OPEN') {
    const retryAt = later(settled.openedAt, settled.openMs);
    return { breaker: settled, answer: { kind: 'refused', because: 'open', retryAt } };
  }
  return acquireHalfOpen(settled, at, policy);
}

function acquireHalfOpen(
  breaker: Breaker,
  at: Instant,
  policy: BreakerPolicy,
): { readonly breaker: Breaker; readonly answer: Acquired } {
  const held = breaker.permits.filter(({ expiresAt }) => expiresAt > at);
  if (held.length >= policy.halfOpenPermits) {
    const retryAt = Math.min(...held.map(({ expiresAt }) => expiresAt)) as Instant;
    return {
      breaker: { ...breaker, permits: held },
      answer: { kind: 'refused', because: 'half-open', retryAt },
    };
  }
  const permitId = (breaker.permits.at(-1)?.id ?? 0) + 1;
  const permits = [...held, { id: permitId, expiresAt: later(at, policy.permitMs) }];
  return {
    breaker: { ...breaker, permits },
    answer: { kind: 'permit', generation: breaker.generation, permitId },
  };
}

/** Stores a change of state that time alone has caused. */
export function settle(breaker: Breaker, at: Instant): Breaker {
  let settled = breaker;
  if (settled.isolation && at >= settled.isolation.until) {
    const { isolation: _over, ...rest } = settled;
    settled = rest;
  }
  if (settled.state === 'OPEN' && !settled.isolation && at >= later(settled.openedAt, settled.openMs)) {
    settled = { ...settled, state: 'HALF_OPEN', generation: settled.generation + 1, permits: [] };
  }
  return settled;
}
