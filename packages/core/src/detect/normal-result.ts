import { type Gauge, noGauge } from './gauge.ts';
import { finish, hashString, mix } from './hash.ts';
import { LineReader } from './line-reader.ts';
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
const READ_MAX = 16_384;
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

export function readResult(output: string, raw: number): ResultPrint {
  if (output.length === 0) return emptyPrint;
  reader.reset();
  if (output.length <= READ_MAX) reader.read(output, 0, output.length);
  else {
    reader.read(output, 0, HALF);
    reader.read(output, output.length - HALF, output.length);
  }
  if (reader.lines === 0) return { ...emptyPrint, raw };
  const size = output.length > READ_MAX ? output.length : 0;
  const tests = reader.hasTestWord ? readTestSummary(output) : null;
  return {
    raw,
    exact: finish(mix(reader.exact(), size)),
    skeleton: finish(reader.skeleton()),
    lines: reader.lines,
    blocks: reader.lines < LONG_LINES ? noBlocks : reader.blocks,
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
  const text = output.length > READ_MAX ? output.slice(-HALF) : output;
  const lines = text.trimEnd().split('\n');
  for (let index = 0; index < lines.length - 1; index += 1) {
    if (hashString((lines[index] ?? '').trim()) === lastLineBefore) {
      return hashString((lines.at(-1) ?? '').trim()) !== lastLineBefore;
    }
  }
  return false;
}

function hashLastLine(output: string): number {
  let end = output.length;
  while (end > 0 && output.charCodeAt(end - 1) <= 32) end -= 1;
  const start = output.lastIndexOf('\n', end - 1) + 1;
  return hashString(output.slice(Math.max(start, end - 400), end).trim());
}
