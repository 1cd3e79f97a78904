import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { isAlike, type WordSet, wordSetOf } from './alike.ts';
import type { Detector } from './detector.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Apologising, or announcing the same step, turn after turn, without making a call.
 *
 * Intuition: "Sorry for the confusion, I will run the tests now." An agent that has said so eight times in slightly
 * other words, and called nothing, will not do it at the ninth either. Equal texts are repeated-text, and any long
 * talk is a monologue; this is talk that moves on the spot, so it acts long before a monologue does.
 *
 * Definition: a message counts if at least 60 % of its words of four letters and more were in one of the three
 * messages before it, or if both it and one of them apologise. A message with new words takes one off, so a spiral
 * with one new sentence in it goes on. Any call ends it, and so does a person.
 *
 * Cutoff: warn 5, act 8. It is no repeat: talk shows what an agent says, not what it does, so a nudge that was read is
 * no second source. Blind spots: one announcement in ever new words; apologies in other languages than English.
 * Rejected: counting apologies alone, which are polite and often followed by work.
 */
type SpiralState = {
  /** The words of the last three messages, newest last. */
  readonly said: readonly WordSet[];
  /** Whether each of them apologised. */
  readonly sorry: readonly boolean[];
  readonly count: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
} | null;

const SAID_MAX = 3;
const READ_MAX = 600;
const SORRY =
  /\b(?:sorry|apolog(?:y|ies|i[sz]e)|my (?:bad|mistake|error|fault)|i (?:misunderstood|was wrong)|you(?:'|’)?(?:re| are) (?:absolutely |completely )?right)\b/i;

const limits = {
  // A sentence and four variations of it are a habit; eight without a call are not going to become one.
  spiral: { warn: 5, act: 8 },
};

type Policy = typeof limits;

export const spiral: Detector<SpiralState, typeof limits> = {
  kinds: ['monologue'],
  limits,
  meanings: {
    spiral: 'Variations of one sentence without a call.',
  },
  empty: null,
  observe: (state, seen) => {
    if (seen.kind === 'message') return observeMessage(state, seen.text, seen.at);
    return seen.kind === 'compaction' ? state : null;
  },
  find: findSpiral,
};

function observeMessage(state: SpiralState, text: string, at: Instant | null): SpiralState {
  const words = wordSetOf(text);
  if (words === null) return state;
  const isSorry = SORRY.test(text.slice(0, READ_MAX));
  if (state === null) return { said: [words], sorry: [isSorry], count: 1, since: at, lastAt: at };
  const isAgain =
    state.said.some((earlier) => isAlike(earlier, words)) || (isSorry && state.sorry.includes(true));
  const count = isAgain ? state.count + 1 : Math.max(1, state.count - 1);
  return {
    said: [...state.said.slice(1 - SAID_MAX), words],
    sorry: [...state.sorry.slice(1 - SAID_MAX), isSorry],
    count,
    since: count === 1 ? at : state.since,
    lastAt: at,
  };
}

function findSpiral(state: SpiralState, policy: Policy): Finding | null {
  const { warn, act } = policy.spiral;
  if (state === null || state.count < warn) return null;
  return finding({
    kind: 'monologue',
    severity: state.count >= act ? 'act' : 'warn',
    since: state.since,
    evidence: `The agent said much the same ${times(state.count)}${spanInWords(state.since, state.lastAt)} and made no call.`,
    threshold: `${warn} messages alike without a call to warn, ${act} to act`,
    count: state.count,
  });
}
