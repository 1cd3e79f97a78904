import type { DurationMs, Instant } from '../base/time.ts';
import { milliseconds } from '../base/time.ts';
import { type Breaker, closedBreaker, type Isolation, settle } from './breaker.ts';
import type { BreakerPolicy } from './breaker-policy.ts';

/** How a call went that a permit was given for. */
export type Report = {
  readonly generation: number;
  readonly permitId: number;
  readonly outcome: 'success' | 'failure';
  readonly durationMs?: DurationMs;
};

/** `roll` is a number from 0 to 1 that the shell brings along; it spreads the breaks. */
export function report(
  breaker: Breaker,
  said: Report,
  at: Instant,
  roll: number,
  policy: BreakerPolicy,
): Breaker {
  // Most calls succeed while nothing is wrong: nothing to write down then.
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
 * One success closes it; one failure opens it again, and so does a slow call where slow calls are what it is for.
 * A report without a permit of ours says nothing.
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

/** Open, for longer each time in a row, and never for exactly as long as everybody else. */
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

/** An operator says that it is fine: closed, as if nothing had been, and late results are not believed. */
export const reset = (breaker: Breaker): Breaker => ({
  ...closedBreaker,
  generation: breaker.generation + 1,
});
