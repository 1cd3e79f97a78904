import type { Instant } from '../time.ts';
import type { CallFacts } from './facts.ts';
import { bestOf, type Gauge, isBetter, noGauge } from './gauge.ts';
import { hasGrown, isSameResult, type ResultPrint } from './normal-result.ts';

/**
 * What is remembered about earlier steps, bounded: the last results of the dozen calls made most recently,
 * and which (call, result) pairs were seen lately. A call that was forgotten counts as new again, so a
 * memory that is too small can only miss a loop, never invent one.
 */
export type KnownCall = {
  readonly call: number;
  readonly exact: number;
  readonly skeleton: number;
  readonly lines: number;
  readonly blocks: readonly number[];
  readonly lastLine: number;
  readonly isError: boolean;
  readonly best: Gauge;
  /** How often in a row this call failed in the same words, whatever was done between. */
  readonly flat: number;
  readonly flatSince: Instant | null;
  /** How often in a row it failed at all without a better number. */
  readonly losses: number;
  /** `editCount` of the memory when it was last made. */
  readonly editCount: number;
};

export type Memory = {
  /** Most recent first. */
  readonly calls: readonly KnownCall[];
  /** Most recent last. */
  readonly pairs: readonly number[];
  readonly editCount: number;
};

export const emptyMemory: Memory = { calls: [], pairs: [], editCount: 0 };

/** Longer tours than this are not recognised. */
const PAIRS_MAX = 64;
/** Twice the longest cycle. */
const CALLS_MAX = 12;

export type Comparison = {
  readonly known: KnownCall | null;
  /** Same call as one we know, and nothing new came of it: the same result, or an error again. */
  readonly isSame: boolean;
  /** The same to the word, not only "an error again". */
  readonly isSameText: boolean;
  /** A number that matters reached a new best. */
  readonly isImproved: boolean;
  /** Stands for the result wherever results are compared: equal for results that say the same. */
  readonly result: number;
};

const ERROR_RESULT = 0x0e44;

export function compare(
  memory: Memory,
  call: number,
  print: ResultPrint,
  isError: boolean,
  output: string,
): Comparison {
  const known = memory.calls.find((entry) => entry.call === call) ?? null;
  if (known === null) {
    return {
      known,
      isSame: false,
      isSameText: false,
      isImproved: false,
      result: isError ? ERROR_RESULT : print.exact,
    };
  }
  const isImproved = isBetter(known.best, print.gauge);
  const isEqual = isSameResult(known, print);
  const isSameText = isEqual && !isImproved && known.isError === isError;
  if (isError) {
    return { known, isSame: known.isError && !isImproved, isSameText, isImproved, result: ERROR_RESULT };
  }
  const hasMoved = isSameText && print.lastLine !== known.lastLine && hasGrown(known.lastLine, output);
  const isSame = isSameText && !hasMoved;
  return {
    known,
    isSame,
    isSameText: isSame,
    isImproved: isImproved || hasMoved,
    result: isSame ? known.exact : print.exact,
  };
}

export function remember(memory: Memory, facts: CallFacts): Memory {
  const calls: KnownCall[] = [entryFor(memory, facts)];
  for (const other of memory.calls) {
    if (other.call !== facts.call && calls.length < CALLS_MAX) calls.push(other);
  }
  return {
    calls,
    pairs: withNewest(memory.pairs, facts.pair, facts.isStale),
    editCount: facts.isEdit ? memory.editCount + 1 : memory.editCount,
  };
}

function entryFor(memory: Memory, facts: CallFacts): KnownCall {
  const { print, comparison, isError } = facts;
  const known = comparison.known;
  // What is waited for or asked for is not tried; an edit between makes a new try of it in any case.
  const isTried = !facts.isAskedFor && (!facts.isPatient || known?.editCount !== memory.editCount);
  const isSameFailure = known !== null && isError && comparison.isSameText;
  const isLossAgain = known !== null && isError && !comparison.isImproved;
  const step = isTried ? 1 : 0;
  return {
    call: facts.call,
    // A result that differs only in a footnote keeps the old print, so that it cannot drift away unnoticed.
    exact: comparison.isSame && !isError ? (known?.exact ?? print.exact) : print.exact,
    skeleton: print.skeleton,
    lines: print.lines,
    blocks: print.blocks,
    lastLine: print.lastLine,
    isError,
    best: bestOf(known?.best ?? noGauge, print.gauge),
    flat: isSameFailure ? known.flat + step : isError ? 1 : 0,
    flatSince: isSameFailure ? known.flatSince : facts.at,
    losses: isLossAgain ? known.losses + step : isError ? 1 : 0,
    editCount: memory.editCount,
  };
}

export const wasSeen = (memory: Memory, pair: number): boolean => memory.pairs.includes(pair);

function withNewest(pairs: readonly number[], pair: number, isKnown: boolean): readonly number[] {
  if (pairs.at(-1) === pair) return pairs;
  const next = !isKnown && pairs.length >= PAIRS_MAX ? pairs.slice(1) : pairs.slice();
  if (isKnown) next.splice(next.indexOf(pair), 1);
  next.push(pair);
  return next;
}
