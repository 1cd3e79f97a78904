import { HASH_SEED, mix } from './hash.ts';

/**
 * The words of a message as a small set, for telling whether two messages say much the same. The first forty words of
 * four letters and more, each one bit of 256: enough to compare two messages, too few to be read back.
 */
export type WordSet = readonly number[];

const WORDS_MAX = 40;
const WORD_LENGTH_MIN = 4;
const READ_MAX = 600;
/** Fewer words than this are too few to be compared. */
const WORDS_MIN = 3;
const ALIKE_SHARE = 0.6;

/** Null if the message has too few words. */
export function wordSetOf(text: string): WordSet | null {
  const set = [0, 0, 0, 0, 0, 0, 0, 0];
  let words = 0;
  let hash = HASH_SEED;
  let length = 0;
  const end = Math.min(text.length, READ_MAX);
  for (let index = 0; index <= end && words < WORDS_MAX; index += 1) {
    const code = index < end ? text.charCodeAt(index) | 32 : 32;
    if ((code >= 97 && code <= 122) || code > 0xbf) {
      hash = mix(hash, code);
      length += 1;
      continue;
    }
    if (length >= WORD_LENGTH_MIN) {
      const bit = (hash ^ (hash >>> 13)) & 255;
      set[bit >> 5] = (set[bit >> 5] ?? 0) | (1 << (bit & 31));
      words += 1;
    }
    hash = HASH_SEED;
    length = 0;
  }
  return words < WORDS_MIN ? null : set;
}

/** Most words of the smaller set are in the other. */
export function isAlike(one: WordSet, other: WordSet): boolean {
  let shared = 0;
  let ones = 0;
  let others = 0;
  for (let index = 0; index < one.length; index += 1) {
    shared += bitsOf((one[index] ?? 0) & (other[index] ?? 0));
    ones += bitsOf(one[index] ?? 0);
    others += bitsOf(other[index] ?? 0);
  }
  return shared >= ALIKE_SHARE * Math.max(1, Math.min(ones, others));
}

function bitsOf(value: number): number {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
}
