import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { finding, spanInWords } from './phrase.ts';
import type { CommonPolicy } from './policy.ts';

/**
 * A long stretch in which nothing was new.
 *
 * Intuition: repeated-call and call-cycle look for patterns; a confused agent need not have one. It reads the same
 * three files in no fixed order, or pages through one long file for the fourth time. So count the steps since the
 * last new thing: a call with a result that is not among the last 64 pairs. New errors of new calls neither count
 * nor reset: trying something new that fails is not yet going in circles, but it is no news either.
 *
 * Cutoff: 12 stale steps warn (twice the longest cycle), 24 act. When all of them are one call, the agent measures
 * something (a flake); that only warns. A stretch whose pace is that of waiting is left to the limits of polls.
 *
 * Blind spots: tours through more than 64 places; a loop that makes one meaningless new call per round. Rejected:
 * entropy over a window: it needs a window's worth of counts and says the same.
 */
/** One wait in four steps makes it waiting: sleep, look at three things, sleep. */
const WAIT_SHARE = 4;

type StaleState = {
  readonly count: number;
  readonly firstCall: number;
  readonly isOneCall: boolean;
  /** How many of them were declared waits. */
  readonly waits: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
};

const empty: StaleState = {
  count: 0,
  firstCall: 0,
  isOneCall: true,
  waits: 0,
  since: null,
  lastAt: null,
};

const limits = {
  // Steps in a row that were all seen before. Twice the longest cycle, then twice that.
  zeroDiversity: { warn: 12, act: 24 },
};

type Policy = CommonPolicy & typeof limits;

export const zeroDiversity: Detector<StaleState, typeof limits> = {
  kinds: ['zero-diversity'],
  limits,
  meanings: {
    zeroDiversity: 'Steps in a row that were all seen before; twice the longest cycle.',
  },
  empty,
  observe: (state, seen) => {
    if (seen.kind === 'call') return observeStale(state, seen.facts);
    return seen.kind === 'opaque-call' ? empty : state;
  },
  find: findStale,
};

function observeStale(state: StaleState, facts: CallFacts): StaleState {
  if (facts.isThought) return state;
  if (facts.isProgress) return empty;
  if (!facts.isStale || facts.isAskedFor) return state;
  const isFirst = state.count === 0;
  return {
    count: state.count + 1,
    firstCall: isFirst ? facts.call : state.firstCall,
    isOneCall: isFirst || (state.isOneCall && state.firstCall === facts.call),
    waits: state.waits + (facts.isDeclaredWait ? 1 : 0),
    since: isFirst ? facts.at : state.since,
    lastAt: facts.at,
  };
}

function findStale(state: StaleState, policy: Policy): Finding | null {
  const limits = policy.zeroDiversity;
  if (state.count < limits.warn || isPaced(state, policy)) return null;
  return finding({
    kind: 'zero-diversity',
    severity: state.count >= limits.act && !state.isOneCall ? 'act' : 'warn',
    since: state.since,
    evidence: `The last ${state.count} calls all repeated earlier ones with the same results${spanInWords(state.since, state.lastAt)}.`,
    threshold: `${limits.warn} calls without anything new to warn, ${limits.act} to act`,
    count: state.count,
  });
}

function isPaced(state: StaleState, policy: Policy): boolean {
  if (state.waits * WAIT_SHARE >= state.count) return true;
  return (
    state.since !== null &&
    state.lastAt !== null &&
    state.lastAt - state.since >= policy.spacedMs * state.count
  );
}
