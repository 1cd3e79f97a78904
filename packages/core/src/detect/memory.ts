import type { Instant } from '../base/time.ts';
import { placeOf } from './call-shape.ts';
import type { CallFacts } from './facts.ts';
import { bestOf, type Gauge, isBetter, noGauge } from './gauge.ts';
import { type Looks, noLooks, withLook } from './looks.ts';
import { hasGrown, isSameResult, type ResultPrint, readResult } from './normal-result.ts';

/**
 * What is remembered of earlier steps, bounded: the last results of the dozen most recent calls, and the recent
 * (call, result) pairs. A forgotten call counts as new again, so a memory that is too small can only miss a loop,
 * never invent one.
 */
type KnownCall = {
  readonly call: number;
  readonly raw: number;
  readonly exact: number;
  readonly skeleton: number;
  readonly lines: number;
  readonly blocks: readonly number[];
  readonly lastLine: number;
  readonly isError: boolean;
  /** It has given a test runner's summary before. */
  readonly isTest: boolean;
  /** The best value so far, not the last one. */
  readonly gauge: Gauge;
  /** How often in a row this call gave the same result, whatever was done in between; for errors, the same text. */
  readonly flat: number;
  readonly flatSince: Instant | null;
  /** `editCount` of the memory when that began; missing in older records. */
  readonly flatEdits?: number;
  /** How often in a row it failed without a better number. */
  readonly losses: number;
  /** Its number among all calls. */
  readonly index: number;
  /** `editCount` of the memory when the call was last made. */
  readonly editCount: number;
};

export type Memory = {
  /** Most recent first. */
  readonly calls: readonly KnownCall[];
  /** Most recent last. */
  readonly pairs: readonly number[];
  readonly editCount: number;
  /** The file that was edited last, as `placeOf` gives it; 0 if unknown. */
  readonly editPlace?: number;
  /** The last call was a wait that had been made before. */
  readonly isWaiting?: boolean;
  /** Missing in records of before it was kept. */
  readonly looks?: Looks;
};

export const emptyMemory: Memory = {
  calls: [],
  pairs: [],
  editCount: 0,
  editPlace: 0,
  isWaiting: false,
  looks: noLooks,
};

/** Longer tours than this are not recognised. */
const PAIRS_MAX = 64;
/** Twice the longest cycle. */
const CALLS_MAX = 12;

export type Comparison = {
  readonly known: KnownCall | null;
  readonly print: ResultPrint;
  /** A known call that returned nothing new: the same result, or an error again. */
  readonly isSame: boolean;
  /** The same text, not only "an error again". */
  readonly isSameText: boolean;
  /** A gauge reached a new best. */
  readonly isImproved: boolean;
  /** Identifies the result in comparisons; equal for results that say the same. */
  readonly result: number;
};

const ERROR_RESULT = 0x0e44;

export function compare(memory: Memory, call: number, output: string, isError: boolean): Comparison {
  const known = findCall(memory.calls, call);
  const print = readResult(output, known?.isError === isError ? known : null);
  if (print === known) {
    const result = isError ? ERROR_RESULT : known.exact;
    return {
      known,
      print,
      isSame: true,
      isSameText: true,
      isImproved: false,
      result,
    };
  }
  if (known === null) {
    const result = isError ? ERROR_RESULT : print.exact;
    return { known, print, isSame: false, isSameText: false, isImproved: false, result };
  }
  return compareKnown(known, print, output, isError);
}

function compareKnown(known: KnownCall, print: ResultPrint, output: string, isError: boolean): Comparison {
  const isBest = isBetter(known.gauge, print.gauge, print.isTest);
  const isSameText = !isBest && known.isError === isError && isSameResult(known, print);
  if (isError) {
    const isSame = known.isError && !isBest;
    return { known, print, isSame, isSameText, isImproved: isBest, result: ERROR_RESULT };
  }
  const hasMoved = isSameText && print.lastLine !== known.lastLine && hasGrown(known.lastLine, output);
  const isSame = isSameText && !hasMoved;
  const result = isSame ? known.exact : print.exact;
  return { known, print, isSame, isSameText: isSame, isImproved: isBest || hasMoved, result };
}

function findCall(calls: readonly KnownCall[], call: number): KnownCall | null {
  for (let index = 0; index < calls.length; index += 1) {
    const known = calls[index];
    if (known !== undefined && known.call === call) return known;
  }
  return null;
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
    editPlace: facts.isEdit ? placeOf(facts.step.input) : (memory.editPlace ?? 0),
    isWaiting: facts.isDeclaredWait,
    looks: looksAfter(memory.looks ?? noLooks, facts),
  };
}

function looksAfter(looks: Looks, { isEdit, isDeclaredWait, look, call }: CallFacts): Looks {
  // After a wait, a second look is worth it as well.
  if (isEdit || isDeclaredWait) return noLooks;
  return look === null ? looks : withLook(looks, call, look.answer);
}

function entryFor(memory: Memory, facts: CallFacts): KnownCall {
  const { comparison, isError } = facts;
  const print = comparison.print;
  const known = comparison.known;
  // A requested call is no new try; nor is a poll, unless an edit came in between.
  const isTried = !facts.isAskedFor && (!facts.isPatient || known?.editCount !== memory.editCount);
  const isSameAgain = known !== null && known.isError === isError && comparison.isSameText;
  const isLossAgain = known !== null && isError && !comparison.isImproved;
  const step = isTried ? 1 : 0;
  return {
    call: facts.call,
    raw: print.raw,
    // A result that differs only in a footnote keeps the old fingerprint, so that small changes can't add up
    // unnoticed.
    exact: comparison.isSame && !isError ? (known?.exact ?? print.exact) : print.exact,
    skeleton: print.skeleton,
    lines: print.lines,
    blocks: print.blocks,
    lastLine: print.lastLine,
    isError,
    isTest: facts.isTest,
    gauge: bestOf(known?.gauge ?? noGauge, print.gauge),
    flat: isSameAgain ? Math.max(1, known.flat) + (facts.isCheckOfEdit ? 0 : step) : 1,
    flatSince: isSameAgain ? known.flatSince : facts.at,
    flatEdits: (isSameAgain ? known.flatEdits : undefined) ?? memory.editCount,
    losses: isLossAgain ? known.losses + step : isError ? 1 : 0,
    index: facts.index,
    editCount: memory.editCount,
  };
}

export const wasSeen = (memory: Memory, pair: number): boolean => memory.pairs.includes(pair);

function withNewest(pairs: readonly number[], pair: number, isKnown: boolean): readonly number[] {
  const last = pairs.length - 1;
  if (pairs[last] === pair) return pairs;
  const left = isKnown ? pairs.indexOf(pair) : pairs.length >= PAIRS_MAX ? 0 : -1;
  if (left < 0) return [...pairs, pair];
  // Copied and moved by hand: taking one out and adding another would copy the list three times.
  const next = pairs.slice();
  for (let index = left; index < last; index += 1) next[index] = pairs[index + 1] as number;
  next[last] = pair;
  return next;
}
