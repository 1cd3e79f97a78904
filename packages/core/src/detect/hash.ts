/**
 * Fingerprints are 32-bit FNV-1a style hashes. They are compared only within one agent's small window
 * (at most a hundred entries), so a chance collision is about one in 40 million; and one collision
 * cannot make a finding, because every finding needs several equal steps. Rejected: a cryptographic hash,
 * which core could not import and which would cost more than everything else together.
 */
const PRIME = 0x01000193;

export const HASH_SEED = 0x811c9dc5 | 0;

export const mix = (hash: number, value: number): number => Math.imul(hash ^ value, PRIME);

/** Spreads the last mixed value over all bits; for keys that are compared, never for running hashes. */
export function finish(hash: number): number {
  const high = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return high ^ (high >>> 13);
}

export function mixString(hash: number, text: string): number {
  let mixed = hash;
  for (let index = 0; index < text.length; index += 1)
    mixed = Math.imul(mixed ^ text.charCodeAt(index), PRIME);
  return mixed;
}

/** Mixes two characters at a time, for long texts that only have to be distinguished. */
export function hashRaw(text: string): number {
  let hash = HASH_SEED ^ text.length;
  const even = text.length & ~1;
  for (let index = 0; index < even; index += 2)
    hash = mixPair(hash, text.charCodeAt(index), text.charCodeAt(index + 1));
  return finish(even === text.length ? hash : mix(hash, text.charCodeAt(even)));
}

/** As `hashRaw`; null if the text has a line break or a tab, two blanks in a row, or one at either end. */
export function hashTidy(text: string): number | null {
  let hash = HASH_SEED ^ text.length;
  const even = text.length & ~1;
  let before = 32;
  for (let index = 0; index < even; index += 2) {
    const first = text.charCodeAt(index);
    const second = text.charCodeAt(index + 1);
    if (first <= 32 || second <= 32) {
      if (isUntidy(before, first) || isUntidy(first, second)) return null;
    }
    before = second;
    hash = mixPair(hash, first, second);
  }
  if (even === text.length) return before <= 32 ? null : finish(hash);
  const last = text.charCodeAt(even);
  return last <= 32 ? null : finish(mix(hash, last));
}

const isUntidy = (before: number, code: number): boolean =>
  code === 9 || code === 10 || (code <= 32 && before <= 32);

function mixPair(hash: number, first: number, second: number): number {
  const mixed = Math.imul(hash ^ first ^ (second << 16), PRIME);
  return mixed ^ (mixed >>> 15);
}

/** As `hashRaw`, and copies the text, which costs next to nothing here. */
export function hashCopied(text: string, copy: Uint16Array): number {
  let hash = HASH_SEED ^ text.length;
  const even = text.length & ~1;
  for (let index = 0; index < even; index += 2) {
    const first = text.charCodeAt(index);
    const second = text.charCodeAt(index + 1);
    copy[index] = first;
    copy[index + 1] = second;
    hash = mixPair(hash, first, second);
  }
  if (even === text.length) return finish(hash);
  copy[even] = text.charCodeAt(even);
  return finish(mix(hash, text.charCodeAt(even)));
}

export const hashString = (text: string): number => finish(mixString(HASH_SEED, text));

export const pairKey = (a: number, b: number): number => finish(mix(mix(HASH_SEED, a), b));
