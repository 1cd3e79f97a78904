import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isChangeCall, LONG_WAIT_MS } from './call-shape.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { finding, spanInWords, times } from './phrase.ts';
import type { CommonPolicy } from './policy.ts';
import { findPoll } from './poll.ts';

/**
 * The same few calls in rotation, with the same results: A B A B, up to six long.
 *
 * Intuition: for each period p it is enough to know how many steps in a row equalled the step p before them. That is
 * one counter per period and the last six steps, so a cycle costs the same as no cycle. Text between the calls does
 * not count as a step; neither do logged thoughts.
 *
 * Equal means call *and* result (an error equals an error of the same call). So edit, test, edit, test is no cycle,
 * because the edits differ; edit, test, revert, test is one. Any improvement (a failure less, a longer log) restarts
 * the count.
 *
 * When the calls of a "cycle" are all the same call with alternating results, the agent may be measuring a flake:
 * that never gets past `warn`. Rounds that include a wait (sleep, then look) are a poll and follow the limits of
 * polls.
 *
 * Cutoff: three full rounds warn, five act. Blind spots: cycles longer than six, or in no fixed order, are left to
 * zero-diversity. Rejected: suffix comparison over a window (as Gemini does): it costs window × period on every step
 * and forgets everything before the window.
 */
const PERIODS = [2, 3, 4, 5, 6] as const;
const PERIOD_MAX = 6;

/** A round with a wait in it that takes less than this per call did not really wait. */
const HASTY_MS = 1_000;

type Turn = {
  readonly pair: number;
  readonly call: number;
  readonly at: Instant | null;
  /**
   * How long a declared wait sleeps, 1 if it does not say, 0 for other calls, and `CHANGE` for a command that changes
   * something: a short wait after it is part of the change. One number, because a record stores six turns; missing
   * in older ones.
   */
  readonly wait?: number;
};

const CHANGE = -1;

type CycleState = {
  /** The last six steps, newest last. */
  readonly turns: readonly Turn[];
  /** By period, from 2 on: steps in a row that equalled the step one period before. */
  readonly matched: readonly number[];
  /** By period: when the first round began. Meaningful only where `matched` is not 0. */
  readonly since: readonly (Instant | null)[];
};

const noMatch: readonly number[] = PERIODS.map(() => 0);
const noSince: readonly null[] = PERIODS.map(() => null);

const empty: CycleState = { turns: [], matched: noMatch, since: noSince };

const limits = {
  // Two rounds are ordinary (look, act, look, act); the third is a pattern, the fifth is a loop.
  callCycle: { warn: 3, act: 5, flappingRoundsWarn: 4 },
};

type Policy = CommonPolicy & typeof limits;

export const callCycle: Detector<CycleState, typeof limits> = {
  kinds: ['call-cycle', 'unchanged-poll'],
  limits,
  meanings: {
    callCycle: 'Rounds of the same few calls with the same results; two rounds are ordinary.',
  },
  empty,
  observe: (state, seen) => {
    switch (seen.kind) {
      case 'call':
        return observeCycle(state, seen.facts);
      case 'opaque-call':
        return empty;
      case 'person':
        return forgiveRound(state);
      default:
        return state;
    }
  },
  find: findCycle,
};

function observeCycle(state: CycleState, facts: CallFacts): CycleState {
  if (facts.isThought || facts.isMeasurement) return state;
  const { pair, call, at } = facts;
  const isChange = facts.isStale && isChangeCall(facts.step.input);
  const wait = facts.isDeclaredWait ? Math.max(1, facts.sleepMs) : isChange ? CHANGE : 0;
  const turn: Turn = { pair, call, at, wait };
  const turns = withTurn(state.turns, turn);
  // A pair that was never seen can't continue any cycle; this is the common case, and it is cheap.
  if (!facts.isStale || facts.comparison.isImproved) return { turns, matched: noMatch, since: noSince };
  const matched: number[] = [];
  const since: (Instant | null)[] = [];
  const last = turns.length - 1;
  for (let index = 0; index < PERIODS.length; index += 1) {
    const before =
      turns[last - (PERIODS[index] ?? PERIOD_MAX)] ?? edgeOf(state, turns, PERIODS[index] ?? PERIOD_MAX);
    const isMatch = before !== null && before.pair === turn.pair;
    const count = state.matched[index] ?? 0;
    matched.push(isMatch ? count + 1 : 0);
    since.push(!isMatch ? null : count === 0 ? before.at : (state.since[index] ?? null));
  }
  return { turns, matched, since };
}

/** The last six; written out, because a push after a slice copies the list twice. */
function withTurn(turns: readonly Turn[], turn: Turn): readonly Turn[] {
  const [, second, third, fourth, fifth, sixth] = turns;
  return second && third && fourth && fifth && sixth
    ? [second, third, fourth, fifth, sixth, turn]
    : [...turns, turn];
}

/** Of the six steps remembered, the oldest has just been pushed out. */
function edgeOf(state: CycleState, turns: readonly Turn[], period: number): Turn | null {
  return period === PERIOD_MAX && turns.length === PERIOD_MAX
    ? (state.turns[state.turns.length - PERIOD_MAX] ?? null)
    : null;
}

/** A person spoke, so one more round was requested. */
function forgiveRound(state: CycleState): CycleState {
  if (state.matched === noMatch) return state;
  return {
    ...state,
    matched: state.matched.map((count, index) => Math.max(0, count - (PERIODS[index] ?? PERIOD_MAX))),
  };
}

function findCycle(state: CycleState, policy: Policy): Finding | null {
  if (state.matched === noMatch || isOneCall(state.turns)) return null;
  let best: Finding | null = null;
  for (let index = 0; index < PERIODS.length; index += 1) {
    const period = PERIODS[index] ?? PERIOD_MAX;
    const matched = state.matched[index] ?? 0;
    if (Math.floor(matched / period) + 1 < policy.callCycle.warn) continue;
    const found = findPeriod(state, period, matched, state.since[index] ?? null, policy);
    // The shortest period names the loop best; a longer one only wins by severity.
    if (found !== null && (best === null || (best.severity === 'warn' && found.severity === 'act')))
      best = found;
  }
  return best;
}

/** One call repeated is left to repeated-call. */
function isOneCall(turns: readonly Turn[]): boolean {
  for (let index = 1; index < turns.length; index += 1)
    if (turns[index]?.pair !== turns[0]?.pair) return false;
  return true;
}

/** Sleeping for two seconds and looking is waiting; restarting, sleeping for five and looking is not. */
function hasWaitIn(round: readonly Turn[]): boolean {
  const mayBeShort = !round.some((turn) => turn.wait === CHANGE);
  return round.some(({ wait = 0 }) => wait > 0 && (mayBeShort || wait === 1 || wait >= LONG_WAIT_MS));
}

function findPeriod(
  state: CycleState,
  period: number,
  matched: number,
  since: Instant | null,
  policy: Policy,
): Finding | null {
  const round = state.turns.slice(-period);
  if (isOneCall(round)) return null;
  const rounds = Math.floor(matched / period) + 1;
  const isFlapping = new Set(round.map((turn) => turn.call)).size === 1;
  if (isFlapping && rounds < policy.callCycle.flappingRoundsWarn) return null;
  const until = state.turns.at(-1)?.at ?? null;
  const steps = matched + period - 1;
  const paceMs = since === null || until === null ? null : (until - since) / steps;
  const hasWait = hasWaitIn(round);
  const isPaced = paceMs === null ? hasWait : paceMs >= policy.spacedMs || (hasWait && paceMs >= HASTY_MS);
  if (isPaced) {
    const what = `A wait of ${period} calls went round ${times(rounds)}`;
    const sleptMs = rounds * round.reduce((sum, { wait = 0 }) => sum + (wait > 1 ? wait : 0), 0);
    return findPoll({ what, count: rounds, since, lastAt: until, sleptMs }, policy);
  }
  const severity = rounds >= policy.callCycle.act && !isFlapping ? 'act' : 'warn';
  const what = isFlapping
    ? 'One call gives alternating results'
    : `The same ${period} calls take turns with the same results`;
  return finding({
    kind: 'call-cycle',
    severity,
    since,
    evidence: `${what}: ${rounds} rounds${spanInWords(since, until)}, nothing new in any of them.`,
    threshold: `${policy.callCycle.warn} rounds to warn, ${policy.callCycle.act} to act`,
    count: rounds,
  });
}
