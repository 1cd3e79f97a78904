import { HASH_SEED, mix } from './hash.ts';

/**
 * The few words that change how a number beside them is read. Looked up by hash while a result is scanned: a small
 * table rules out nearly every word, a map confirms the rest.
 */
export type WordRole = 'bad' | 'good' | 'unit' | 'label' | 'accounting' | 'measure' | 'of' | 'temp';

const words: Readonly<Record<WordRole, string>> = {
  // "3 failed", "errors: 3", "12 left"
  bad:
    'failed failing failure failures fail error errors problem problems issue issues violation violations ' +
    'remaining left pending todo unresolved missing broken conflict conflicts mismatch mismatches',
  // "36 passed", "done: 7"
  good: 'passed passing pass done completed complete finished succeeded processed fixed closed resolved',
  // "7.27s", "after 5 ms"
  unit: 'ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours us µs ns days day',
  // "pid 4711", "attempt 3": the number after it names this occasion, not the result
  label: 'pid ppid tid process port attempt try retry request req seq thread seed',
  // a line that keeps accounts of the call itself
  accounting:
    'token tokens context took elapsed duration duration_ms cost usage uptime request_id requestid trace_id traceid ' +
    'trace correlation wall cached served budget calls turn turns credits quota spent',
  // "p99 212 ms" is a measurement, although it is a duration
  measure: 'p50 p75 p90 p95 p99 latency mean median avg average throughput',
  of: 'of',
  // "/tmp/x8fk2/out": the name after it is random
  temp: 'tmp temp',
};

const TABLE_SIZE = 4096;
const mayKnow = new Uint8Array(TABLE_SIZE);
const roles = new Map<number, WordRole>();

function hashWord(word: string): number {
  let hash = HASH_SEED;
  for (let index = 0; index < word.length; index += 1) hash = mix(hash, word.charCodeAt(index) | 32);
  return hash;
}

for (const role of Object.keys(words) as WordRole[]) {
  for (const word of words[role].split(' ')) {
    const hash = hashWord(word);
    mayKnow[hash & (TABLE_SIZE - 1)] = 1;
    roles.set(hash, role);
  }
}

/** `hash` is the unfinished hash of the word, each character with bit 5 set. */
export function roleOf(hash: number): WordRole | null {
  return mayKnow[hash & (TABLE_SIZE - 1)] === 0 ? null : (roles.get(hash) ?? null);
}

/** Every summary of a test runner with a failure has one of these; they are `bad` or `good` words too. */
const testWords: ReadonlySet<number> = new Set(
  'passed passing pass failed failing fail failures'.split(' ').map(hashWord),
);

/** Takes the same hash as `roleOf`. */
export const isTestWord = (hash: number): boolean => testWords.has(hash);
