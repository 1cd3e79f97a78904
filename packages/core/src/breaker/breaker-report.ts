import type { DurationMs, Instant } from '../base/time.ts';
import { milliseconds } from '../base/time.ts';
import { type Breaker, closedBreaker, type Isolation, settle } from './breaker.ts';
import type { BreakerPolicy } from './breaker-policy.ts';

/** The outcome of a call that was made under a permit. */
export type Report = {
  readonly generation: number;
  readonly permitId: number;
  readonly outcome: 'success' | 'failure';
  readonly durationMs?: DurationMs;
};

/** `roll` is a number from 0 to 1, provided by the shell; it spreads the ends of breaks. */
export function report(
  breaker: Breaker,
  said: Report,
  at: Instant,
  roll: number,
  policy: BreakerPolicy,
): Breaker {
  // Nothing to store: most calls succeed while nothing is wrong.
  if (
    breaker.state === 'CLOSED' &&
    said.outcome === 'success' &&
    breaker.failures === 0 &&
    policy.mode === 'consecutive'
  ) {
    return breaker;
  }
  const settled = settle(breaker, at);
  if (said.generation !== settled.generation || settled.isolation) return settled;
  switch (settled.state) {
    case 'CLOSED':
      return reportClosed(settled, said, at, roll, policy);
    case 'HALF_OPEN':
      return reportHalfOpen(settled, said, at, roll, policy);
    case 'OPEN':
      return settled;
  }
}

function reportClosed(
  breaker: Breaker,
  said: Report,
  at: Instant,
  roll: number,
  policy: BreakerPolicy,
): Breaker {
  const failures = said.outcome === 'failure' ? breaker.failures + 1 : 0;
  if (policy.mode === 'consecutive') {
    return failures >= policy.failuresMax ? trip(breaker, at, roll, policy) : { ...breaker, failures };
  }
  const outcomes = (breaker.outcomes + letterOf(said, policy)).slice(-policy.windowCalls);
  const counted = { ...breaker, failures, outcomes };
  return isOverRatio(outcomes, policy) ? trip(counted, at, roll, policy) : counted;
}

function letterOf(said: Report, policy: BreakerPolicy): string {
  if (said.outcome === 'failure') return 'x';
  return (said.durationMs ?? 0) > policy.slowMs ? 's' : '.';
}

const isBad = (letter: string, { mode }: BreakerPolicy): boolean =>
  letter === 'x' || (letter === 's' && mode === 'slow');

function isOverRatio(outcomes: string, policy: BreakerPolicy): boolean {
  if (outcomes.length < policy.volumeMin) return false;
  let bad = 0;
  for (const letter of outcomes) if (isBad(letter, policy)) bad += 1;
  return bad / outcomes.length > policy.ratioMax;
}

/**
 * One success closes the breaker; one failure opens it again, and in `slow` mode a slow call does too. A report
 * without a valid permit is ignored.
 */
function reportHalfOpen(
  breaker: Breaker,
  said: Report,
  at: Instant,
  roll: number,
  policy: BreakerPolicy,
): Breaker {
  if (!breaker.permits.some(({ id, expiresAt }) => id === said.permitId && expiresAt > at)) return breaker;
  if (isBad(letterOf(said, policy), policy)) return trip(breaker, at, roll, policy);
  return { ...closedBreaker, generation: breaker.generation + 1, trips: 0 };
}

/** Opens, for longer each time in a row, with jitter so that callers do not all return at the same time. */
function trip(breaker: Breaker, at: Instant, roll: number, policy: BreakerPolicy): Breaker {
  const trips = breaker.trips + 1;
  const grown = Math.min(policy.openMsMax, policy.openMs * policy.openGrowth ** (trips - 1));
  return {
    ...closedBreaker,
    state: 'OPEN',
    generation: breaker.generation + 1,
    openedAt: at,
    openMs: milliseconds(Math.round(grown * (1 + policy.jitter * roll))),
    trips,
  };
}

export function isolate(breaker: Breaker, isolation: Isolation): Breaker {
  return { ...breaker, generation: breaker.generation + 1, permits: [], isolation };
}

/** Reset by an operator: closed with a new generation, so that late results are ignored. */
export const reset = (breaker: Breaker): Breaker => ({
  ...closedBreaker,
  generation: breaker.generation + 1,
});
