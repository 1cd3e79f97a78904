import { isBlank } from './blank.ts';
import { type Gauge, noGauge } from './gauge.ts';
import { finish, HASH_SEED, hashRaw, mix } from './hash.ts';
import { LineReader, READ_MAX } from './line-reader.ts';
import { readTestSummary } from './test-summary.ts';

/**
 * The content of a result, without values that only say when it was produced.
 *
 * Intuition: a loop hides behind a clock. The same answer comes back with another time, pid, duration, request id,
 * temp folder or token count, and plain equality calls it new (stella #440). So a result is read once, token by
 * token; volatile tokens are dropped and the rest is hashed twice: `exact` keeps plain numbers, `skeleton` does not.
 * When only numbers differ, the size of the difference decides (see `isSameResult`): one count in a long listing is
 * a footnote, the only line of a progress file is the news.
 *
 * Blind spots: a result whose only news is a clock, a hash or a duration reads as unchanged (`git rev-parse HEAD`,
 * `date`). A volatile value that looks like a word ("served by heron") reads as changed.
 *
 * Rejected: a chain of regular expressions. It read well and cost 60 µs on 4 kB; this costs a tenth.
 */
export type ResultPrint = {
  /** Hash of the unmodified text: equal texts need no second reading. */
  readonly raw: number;
  readonly exact: number;
  readonly skeleton: number;
  readonly lines: number;
  /** Hashes of the lines, added up by line number modulo 8; empty for short results. */
  readonly blocks: readonly number[];
  /** Hash of the unmodified last line, by which a growing log is recognised. */
  readonly lastLine: number;
  readonly gauge: Gauge;
  /** The result is that of a test run: it has a test runner's summary, and `gauge` is what that says. */
  readonly isTest: boolean;
};

/** Longer results are read only at the head and the tail, and their length counts. */
const HALF = READ_MAX / 2;
/** A listing is "long" from here on: below it, one changed number is a large part of the answer. */
const LONG_LINES = 8;
/** From here on, a second number (a total above, a total below) is a footnote too. */
const VERY_LONG_LINES = 32;

const emptyPrint: ResultPrint = {
  raw: 0,
  exact: 0,
  skeleton: 0,
  lines: 0,
  blocks: [],
  lastLine: 0,
  gauge: noGauge,
  isTest: false,
};

const reader = new LineReader();
const noBlocks: readonly number[] = [];

/** The print of a result; `known` if that is of the same text. */
export function readResult(output: string, known: ResultPrint | null): ResultPrint {
  const isLong = output.length > READ_MAX;
  const raw = isLong ? hashRaw(output) : reader.load(output);
  if (known !== null && known.raw === raw) return known;
  if (output.length === 0) return emptyPrint;
  reader.reset();
  if (isLong) {
    reader.loadPart(output, 0, HALF);
    reader.read(HALF);
    reader.loadPart(output, output.length - HALF, output.length);
    reader.read(HALF);
  } else reader.read(output.length);
  if (reader.lines === 0) return { ...emptyPrint, raw };
  const size = isLong ? output.length : 0;
  // Go's only word for a package that passes is its first one.
  const tests = reader.hasTestWord || output.startsWith('ok ') ? readTestSummary(output) : null;
  return {
    raw,
    exact: finish(mix(reader.exact(), size)),
    skeleton: finish(reader.skeleton()),
    lines: reader.lines,
    blocks: reader.lines < LONG_LINES ? noBlocks : reader.blocks(),
    // One line cannot have grown from another; two can.
    lastLine: reader.lines === 1 ? 0 : hashLastLine(output),
    gauge: tests === null ? reader.gauge() : { bad: tests.failed, good: tests.passed, share: -1 },
    isTest: tests !== null,
  };
}

type KnownResult = Pick<ResultPrint, 'exact' | 'skeleton' | 'lines' | 'blocks'>;

/** Equal, or equal except for one number in a long listing. */
export function isSameResult(before: KnownResult, now: KnownResult): boolean {
  if (before.exact === now.exact) return true;
  if (before.skeleton !== now.skeleton || before.lines !== now.lines) return false;
  if (now.blocks.length === 0 || before.blocks.length !== now.blocks.length) return false;
  let changed = 0;
  for (let index = 0; index < now.blocks.length; index += 1) {
    if (now.blocks[index] !== before.blocks[index]) changed += 1;
  }
  return changed <= (now.lines >= VERY_LONG_LINES ? 2 : 1);
}

/**
 * A log has grown when its former last line is still there, with others after it. Checked only when the results are
 * otherwise equal, so that a service which prints the same line every second still counts as alive.
 */
export function hasGrown(lastLineBefore: number, output: string): boolean {
  if (lastLineBefore === 0) return false;
  const text = (output.length > READ_MAX ? output.slice(-HALF) : output).trimEnd();
  const lastStart = text.lastIndexOf('\n') + 1;
  const length = lastLineBefore & LENGTH_BITS;
  for (let start = 0; start < lastStart; ) {
    const end = text.indexOf('\n', start);
    if (hashLine(text, start, end, length) === lastLineBefore)
      return hashLine(text, lastStart, text.length) !== lastLineBefore;
    start = end + 1;
  }
  return false;
}

/** The lower bits of a line's hash are its length, so that lines of another length need no reading. */
const LENGTH_BITS = 0x7f;

/** Hash of a part of the text without the blanks around it; 0 if that has another length than wanted. */
function hashLine(text: string, from: number, to: number, wanted?: number): number {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  const length = (end - start) & LENGTH_BITS;
  if (wanted !== undefined && wanted !== length) return 0;
  let hash = HASH_SEED;
  for (let index = start; index < end; index += 1) hash = mix(hash, text.charCodeAt(index));
  return (finish(hash) & ~LENGTH_BITS) | length;
}

function hashLastLine(output: string): number {
  let end = output.length;
  while (end > 0 && output.charCodeAt(end - 1) <= 32) end -= 1;
  const start = output.lastIndexOf('\n', end - 1) + 1;
  return hashLine(output, Math.max(start, end - 400), end);
}
