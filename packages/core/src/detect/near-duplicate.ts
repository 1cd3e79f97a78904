import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { placesKey } from './call-shape.ts';
import { argumentsText } from './canonical-arguments.ts';
import type { Detector } from './detector.ts';
import type { CallFacts } from './facts.ts';
import { hashString } from './hash.ts';
import { finding, spanInWords, times } from './phrase.ts';

/**
 * Variations of one search that keep finding nothing.
 *
 * Intuition: a dozen spellings of a name that does not exist. Each call differs and none fails, so every other
 * detector is silent. The signs are that the answer is "nothing" and that the place is the same: one question put to
 * thirty files is a sweep, thirty questions put to one place are a search that has run out of ideas.
 *
 * Cutoff: six in a row warn. It never acts: such a search ends by itself, and "nothing" may be the answer that was
 * wanted. Any result with content restarts the count. Blind spots: search tools that answer "nothing" in an unknown
 * sentence. Rejected: similarity of the arguments (Dice over trigrams): a sweep over similar paths is more similar
 * than two spellings.
 */
type NothingRun = {
  readonly place: number;
  /** The arguments without their digits. */
  readonly shape: number;
  /** The words of the last search, in lower case. */
  readonly words: string;
  readonly tool: string;
  readonly count: number;
  readonly since: Instant | null;
  readonly lastAt: Instant | null;
};

const limits = {
  // Spellings of one search that find nothing. It costs little and ends by itself: never `act`.
  nearDuplicate: { warn: 6 },
};

type Policy = typeof limits;

export const nearDuplicate: Detector<NothingRun | null, typeof limits> = {
  kinds: ['near-duplicate'],
  limits,
  meanings: {
    nearDuplicate: 'Spellings of one search that find nothing.',
  },
  empty: null,
  observe: (state, seen) => {
    if (seen.kind === 'call') return observeNothing(state, seen.facts);
    return seen.kind === 'opaque-call' ? null : state;
  },
  find: findNothing,
};

function observeNothing(state: NothingRun | null, facts: CallFacts): NothingRun | null {
  if (facts.isThought) return state;
  if (facts.isEdit || facts.nothing === null || (facts.isError && facts.step.output?.trim() !== ''))
    return null;
  const place = placesKey(facts.tool, facts.step.input);
  const text = argumentsText(facts.step.input);
  const shape = shapeKey(text);
  const words = wordsOf(text);
  // If only numbers differ (pages, ids, hosts), it is a sweep, even if it finds nothing.
  const isSweep = state !== null && state.shape === shape && !facts.comparison.isSame;
  if (state === null || state.place !== place || isSweep) {
    return { place, shape, words, tool: facts.tool, count: 1, since: facts.at, lastAt: facts.at };
  }
  const isNews = !facts.isPatient && !facts.comparison.isSame && isVariant(state.words, words);
  return { ...state, shape, words, count: state.count + (isNews ? 1 : 0), lastAt: facts.at };
}

const WORDS_MAX = 160;

function wordsOf(text: string): string {
  return text
    .slice(0, 400)
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .slice(0, WORDS_MAX);
}

/** Whether the two words are spellings of the same name: names of different things share few letter pairs. */
function isVariant(before: string, now: string): boolean {
  const earlier = new Set(before.split(' '));
  const later = new Set(now.split(' '));
  const gone = [...earlier].filter((word) => !later.has(word)).join('');
  const come = [...later].filter((word) => !earlier.has(word)).join('');
  if (gone === '' || come === '') return true;
  const pairs = new Set(pairsOf(gone));
  const shared = pairsOf(come).filter((pair) => pairs.has(pair)).length;
  return (2 * shared) / (gone.length + come.length - 2 || 1) >= SIMILAR_SHARE;
}

const SIMILAR_SHARE = 0.3;

function pairsOf(text: string): string[] {
  const pairs: string[] = [];
  for (let at = 1; at < text.length; at += 1) pairs.push(text.slice(at - 1, at + 1));
  return pairs;
}

const shapeKey = (text: string): number => hashString(text.slice(0, 600).replace(/[0-9]+/g, '#'));

function findNothing(state: NothingRun | null, policy: Policy): Finding | null {
  if (state === null || state.count < policy.nearDuplicate.warn) return null;
  return finding({
    kind: 'near-duplicate',
    severity: 'warn',
    since: state.since,
    evidence: `Tool \`${state.tool.slice(0, 40)}\` looked in one place ${times(state.count)} in different words and found nothing${spanInWords(state.since, state.lastAt)}.`,
    threshold: `${policy.nearDuplicate.warn} searches without a result`,
    count: state.count,
  });
}
