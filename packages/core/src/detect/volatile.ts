import { HASH_SEED, mix } from './hash.ts';
import { roleOf, type WordRole } from './vocabulary.ts';

/**
 * Recognises numbers that only say when, how long or by whom: dates, clock times, durations, process ids, ephemeral
 * ports, addresses, ids. Any other number may be the news.
 *
 * The readers of numbers give the index after the number, negative if the number is volatile: an object for each
 * number would cost more than reading it.
 */

/** The characters of a text by their codes, with zeros after the end. */
export type Codes = Uint16Array;

const at = (codes: Codes, index: number): number => codes[index] ?? 0;

/** The longest look ahead. */
export const UUID_LENGTH = 36;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 0xb5;

/** Linux assigns ephemeral ports from here on. */
const EPHEMERAL_PORT_MIN = 32_768;
const PORT_MAX = 65_535;

export function readNumber(
  codes: Codes,
  from: number,
  to: number,
  roleBefore: WordRole | null,
  codeBefore: number,
): number {
  let end = from;
  while (end < to && isDigit(at(codes, end))) end += 1;
  const digits = end - from;
  const next = at(codes, end);

  if (digits === 8 && next === 45 && at(codes, from + 13) === 45 && at(codes, from + 23) === 45) {
    return -Math.min(to, from + UUID_LENGTH);
  }
  if (digits === 4 && next === 45 && isDate(codes, from)) return -endOfTime(codes, from + 10, to);
  if (digits <= 2 && next === 58 && isClock(codes, end)) return -endOfTime(codes, end, to);

  let after = next;
  while ((after === 46 || after === 44) && isDigit(at(codes, end + 1))) {
    end += 1;
    while (end < to && isDigit(at(codes, end))) end += 1;
    after = at(codes, end);
  }
  // "0.001234": six decimal places are a measured time, not a result.
  if (end - from >= 8 && at(codes, from + 1) === 46) return -end;
  if (isLetter(after)) return readSuffix(codes, from, end, to, roleBefore);

  const isNamed = roleBefore === 'label';
  const isPort = codeBefore === 58 && isEphemeralPort(decimalOf(codes, from, end));
  // "nginx (4211)": a number of four digits alone in brackets is an id.
  const isBoxed = digits >= 4 && end - from === digits && isBox(codeBefore, after);
  const isMeasured = roleBefore === 'measure';
  const unitEnd = isMeasured || after !== 32 ? 0 : unitEndAt(codes, end + 1, to);
  if (unitEnd > 0) return -unitEnd;
  return isNamed || isPort || isBoxed ? -end : end;
}

const isEphemeralPort = (value: number): boolean => value >= EPHEMERAL_PORT_MIN && value <= PORT_MAX;

/**
 * The number that begins here, without a suffix; 0 if it is too large. By hand: slicing and parsing would cost more
 * than the rest of reading a number.
 */
export function decimalOf(codes: Codes, from: number, end: number): number {
  let value = 0;
  let scale = 0;
  for (let index = from; index < end; index += 1) {
    const code = at(codes, index);
    if (isDigit(code)) {
      value = value * 10 + (code - 48);
      scale *= 10;
    } else if (code === 46) scale = scale === 0 ? 1 : scale;
    else if (code !== 44) break;
  }
  const decimal = scale > 1 ? value / scale : value;
  return Number.isFinite(decimal) ? decimal : 0;
}

/** "7s", "0x7ffd", "12ab34cd", "3rd", "22m". */
function readSuffix(
  codes: Codes,
  from: number,
  digitsEnd: number,
  to: number,
  roleBefore: WordRole | null,
): number {
  let end = digitsEnd;
  let isHex = true;
  let unit = HASH_SEED;
  while (end < to) {
    const code = at(codes, end);
    if (!isDigit(code) && !isLetter(code) && code !== 95) break;
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    if (!isDigit(code) && (folded < 97 || folded > 102)) isHex = false;
    unit = mix(unit, code | 32);
    end += 1;
  }
  const isMeasured = roleBefore === 'measure';
  const isSpan = roleOf(unit) === 'unit' && !isMeasured;
  const isAddress = at(codes, from) === 48 && at(codes, from + 1) === 120;
  const isId = (isHex && end - from >= 7) || end - from >= 16;
  if (isHex && end - from === 8 && at(codes, from + 8) === 45 && at(codes, from + 13) === 45) {
    return -Math.min(to, from + UUID_LENGTH);
  }
  return isSpan || isAddress || isId ? -end : end;
}

const isBox = (open: number, close: number): boolean =>
  (open === 40 && close === 41) || (open === 91 && close === 93);

/** Where the unit that begins here ends; 0 if there is none. */
function unitEndAt(codes: Codes, from: number, to: number): number {
  let end = from;
  let hash = HASH_SEED;
  while (end < to && end - from < 8 && isLetter(at(codes, end))) {
    hash = mix(hash, at(codes, end) | 32);
    end += 1;
  }
  return end > from && !isLetter(at(codes, end)) && roleOf(hash) === 'unit' ? end : 0;
}

/** yyyy-mm-dd */
function isDate(codes: Codes, from: number): boolean {
  return (
    isDigit(at(codes, from + 5)) &&
    isDigit(at(codes, from + 6)) &&
    at(codes, from + 7) === 45 &&
    isDigit(at(codes, from + 8)) &&
    isDigit(at(codes, from + 9))
  );
}

/** :mm:ss after the hours. "file.ts:12:34" has no hours before it and three parts only by accident. */
function isClock(codes: Codes, colon: number): boolean {
  return (
    isDigit(at(codes, colon + 1)) &&
    isDigit(at(codes, colon + 2)) &&
    at(codes, colon + 3) === 58 &&
    isDigit(at(codes, colon + 4)) &&
    isDigit(at(codes, colon + 5))
  );
}

/** Skips the rest of a timestamp: "T09:12:35.649Z", " 09:12:48", "+02:00". */
function endOfTime(codes: Codes, from: number, to: number): number {
  let end = from;
  if (at(codes, end) === 32 && !(isDigit(at(codes, end + 1)) && at(codes, end + 3) === 58)) return end;
  while (end < to) {
    const code = at(codes, end);
    const isPart = isDigit(code) || code === 58 || code === 84 || code === 90 || code === 43;
    const isJoint =
      (code === 46 || code === 44 || code === 45 || (code === 32 && end === from)) &&
      isDigit(at(codes, end + 1));
    if (!isPart && !isJoint) break;
    end += 1;
  }
  return end;
}

export function skipEscape(codes: Codes, from: number, to: number): number {
  if (at(codes, from + 1) !== 91) return from + 1;
  let index = from + 2;
  while (index < to && (at(codes, index) < 64 || at(codes, index) > 126)) index += 1;
  return index + 1;
}

const PATH_END = ' \t\n\r"\'`),;:]>';

/** Names below a temporary folder are random. */
export function skipPath(codes: Codes, from: number, to: number): number {
  let index = from;
  while (index < to && !PATH_END.includes(String.fromCharCode(at(codes, index)))) index += 1;
  return index;
}

export function isUuidAt(codes: Codes, from: number): boolean {
  return (
    at(codes, from + 8) === 45 &&
    at(codes, from + 13) === 45 &&
    at(codes, from + 18) === 45 &&
    at(codes, from + 23) === 45
  );
}
