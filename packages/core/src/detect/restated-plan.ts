import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import { finish, HASH_SEED, mix } from './hash.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Starting over.
 *
 * Intuition: an agent that has forgotten where it was tells its plan again, in nearly the same words: "First I will
 * look at the parser, then …". Between the plans it makes calls, which may even succeed, so neither repeated-text nor
 * monologue sees it.
 *
 * Definition: of each message longer than 80 characters, the first 120 words are sketched by 8 min-hashes; the last 8
 * sketches are kept. A message is told again when at least 6 of its 8 equal those of one sketch that is kept. Calls
 * do not reset it; a person does. The thoughts that come with calls are sketched as well. It holds until a message or
 * thought says something else.
 *
 * Cutoff: warn at the second message that is told again: one plan may be confirmed once. Thoughts resemble each other
 * more ("Now I will run the tests"), so six of the last eight have to. It never acts.
 *
 * Blind spots: agents that print their plan by schedule trip it; one plan in other words does not. Rejected: equal
 * text (repeated-text has that) and the similarity of all pairs of words, which costs more and says the same.
 */
type PlanState = {
  /** The last sketches one after the other, newest last; 16 bits each, which is enough to tell eight apart. */
  readonly sketches: readonly number[];
  /** One bit for each of the last messages, the newest lowest: 1 if it was told again. */
  readonly again: number;
  /** The same for thoughts. */
  readonly thoughtsAgain: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
};

const empty: PlanState = { sketches: [], again: 0, thoughtsAgain: 0, since: null, lastAt: null };

const limits = {
  // A plan may be confirmed once.
  restatedPlan: { warn: 2 },
  // Thoughts before similar calls are similar; nearly all of the last eight have to be.
  restatedThought: { warn: 6 },
};

type Policy = typeof limits;

export const restatedPlan: Detector<PlanState, typeof limits> = {
  kinds: ['restated-plan'],
  limits,
  meanings: {
    restatedPlan: 'Repetitions of a plan; it may be confirmed once.',
    restatedThought: 'Repetitions of a thought among the last eight.',
  },
  empty,
  observe: (state, seen) => {
    if (seen.kind === 'message') return observePlan(state, seen.text, seen.at, false);
    if (seen.kind === 'call') return observePlan(state, seen.facts.step.text ?? '', seen.facts.at, true);
    return seen.kind === 'person' && state.sketches.length > 0 ? empty : state;
  },
  find: findPlan,
};

const LENGTH_MIN = 80;
const WORDS_MAX = 120;
const HASHES = 8;
const SKETCHES_MAX = 8;
const EQUAL_MIN = 6;

function observePlan(state: PlanState, text: string, at: Instant | null, isThought: boolean): PlanState {
  if (text.length <= LENGTH_MIN) return state;
  const sketch = sketchOf(text);
  const isAgain = isKept(state.sketches, sketch);
  const kept = state.sketches.length >= SKETCHES_MAX * HASHES ? state.sketches.slice(HASHES) : state.sketches;
  return {
    sketches: [...kept, ...sketch],
    again: shifted(state.again, isAgain && !isThought),
    thoughtsAgain: shifted(state.thoughtsAgain, isAgain && isThought),
    since: isAgain && (state.again | state.thoughtsAgain) !== 0 ? state.since : at,
    lastAt: at,
  };
}

const shifted = (bits: number, isSet: boolean): number =>
  ((bits << 1) | (isSet ? 1 : 0)) & ((1 << SKETCHES_MAX) - 1);

function isKept(sketches: readonly number[], sketch: readonly number[]): boolean {
  for (let start = 0; start + HASHES <= sketches.length; start += HASHES) {
    let equal = 0;
    for (let index = 0; index < HASHES; index += 1) if (sketches[start + index] === sketch[index]) equal += 1;
    if (equal >= EQUAL_MIN) return true;
  }
  return false;
}

/** Odd factors, one for each min-hash; any eight would do. */
const FACTORS = [
  0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09,
] as const;

/** The smallest value of eight hashes over the words: two texts share it as often as they share words. */
function sketchOf(text: string): number[] {
  const smallest = new Array<number>(HASHES).fill(0xffff_ffff);
  let words = 0;
  let hash = HASH_SEED;
  for (let index = 0; index <= text.length && words < WORDS_MAX; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 32;
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 0xbf;
    if (isLetter) {
      hash = mix(hash, code | 32);
      continue;
    }
    if (hash === HASH_SEED) continue;
    const word = finish(hash);
    for (let each = 0; each < HASHES; each += 1) {
      const value = Math.imul(word, FACTORS[each] ?? 1) >>> 0;
      if (value < (smallest[each] ?? 0)) smallest[each] = value;
    }
    words += 1;
    hash = HASH_SEED;
  }
  return smallest.map((value) => finish(value) & 0xffff);
}

function findPlan(state: PlanState, policy: Policy): Finding | null {
  const { again, thoughtsAgain } = state;
  if (((again | thoughtsAgain) & 1) === 0) return null;
  const messages = bitsOf(again);
  const all = messages + bitsOf(thoughtsAgain);
  if (messages < policy.restatedPlan.warn && all < policy.restatedThought.warn) return null;
  return finding({
    kind: 'restated-plan',
    severity: 'warn',
    since: state.since,
    evidence: `The agent told nearly the same plan again, ${times(all + 1)} in all${spanInWords(state.since, state.lastAt)}.`,
    threshold: `${policy.restatedPlan.warn} messages that repeat an earlier one, or ${policy.restatedThought.warn} with thoughts`,
    count: all + 1,
  });
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest > 0; rest >>= 1) bits += rest & 1;
  return bits;
}
