import type { Instant } from '../base/time.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { Detector } from './detector.ts';
import { HASH_SEED, mix } from './hash.ts';
import { finding } from './phrase.ts';

/**
 * One sentence, sixty times, inside one answer.
 *
 * Intuition: a model that repeats itself uses very few different words. Prose of sixty words has forty; a chant has
 * six. Tables, lists and code repeat their shape on purpose and are left out.
 *
 * Cutoff: at least 60 words of prose of which at most 15 % differ. It only warns: the answer is over by the time we
 * see it. Blind spots: a chant inside a code fence. Rejected: counting equal 50-character chunks (as Gemini does):
 * slower, and it needs exceptions for everything that is regular.
 */
const READ_MAX = 4_000;

type ChantState = {
  readonly words: number;
  readonly distinct: number;
  readonly at: Instant | null;
} | null;

const limits = {
  // Ordinary prose of sixty words has at least forty different ones.
  chant: { wordsMin: 60, distinctShareMax: 0.15 },
};

type Policy = typeof limits;

export const chant: Detector<ChantState, typeof limits> = {
  kinds: ['repeated-text'],
  limits,
  meanings: {},
  empty: null,
  observe: (state, seen, policy) => {
    if (seen.kind === 'message') return readChant(seen.text, seen.at, policy);
    return seen.kind === 'call' || seen.kind === 'opaque-call' ? null : state;
  },
  find: findChant,
};

function readChant(text: string, at: Instant | null, policy: Policy): ChantState {
  const { wordsMin, distinctShareMax } = policy.chant;
  if (text.length < 2 * wordsMin) return null;
  const read = text.length > READ_MAX ? text.slice(0, READ_MAX) : text;
  const seen = new Set<number>();
  // Every word takes two characters, so with more different words than this the text can't be a chant.
  const distinctMax = (read.length / 2) * distinctShareMax;
  let words = 0;
  let isCode = false;
  for (const line of read.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('```') || trimmed.startsWith('~~~')) isCode = !isCode;
    else if (!isCode && !isListed(trimmed)) {
      words += addWords(trimmed, seen);
      if (seen.size > distinctMax) return null;
    }
  }
  if (words < wordsMin || seen.size > words * distinctShareMax) return null;
  return { words, distinct: seen.size, at };
}

/** Scripts without spaces are counted by character. */
function addWords(line: string, seen: Set<number>): number {
  let words = 0;
  let hash = HASH_SEED;
  for (let index = 0; index <= line.length; index += 1) {
    const code = index < line.length ? line.charCodeAt(index) | 32 : 32;
    const isLetter = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 0xbf;
    const isGlyph = code >= 0x3040 && code <= 0xd7ff;
    if (isLetter && !isGlyph) {
      hash = mix(hash, code);
      continue;
    }
    if (hash !== HASH_SEED) {
      words += 1;
      seen.add(hash);
      hash = HASH_SEED;
    }
    if (isGlyph) {
      words += 1;
      seen.add(code);
    }
  }
  return words;
}

/** Table rows, list items, headings, quotes, indented code. */
const isListed = (line: string): boolean => /^(?:[|>#│┃+]|[-*+•–]\s|\d+[.)]\s|[-=_*]{3,}$)/.test(line);

function findChant(state: ChantState, policy: Policy): Finding | null {
  if (state === null) return null;
  return finding({
    kind: 'repeated-text',
    severity: 'warn',
    since: state.at,
    evidence: `One answer repeats itself: ${state.words} words, only ${state.distinct} different ones.`,
    threshold: `at most ${policy.chant.distinctShareMax * 100} % different words in ${policy.chant.wordsMin} or more`,
  });
}
