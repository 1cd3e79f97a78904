import { HASH_SEED, mix } from './hash.ts';
import { roleOf, type WordRole } from './vocabulary.ts';

/**
 * Recognises numbers that only say when, how long or by whom: dates, clock times, durations, process ids, ephemeral
 * ports, addresses, ids. Any other number may be the news.
 */
type NumberRead = { readonly end: number; readonly value: number; readonly isVolatile: boolean };

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 0xb5;

/** Linux assigns ephemeral ports from here on. */
const EPHEMERAL_PORT_MIN = 32_768;
const PORT_MAX = 65_535;

export function readNumber(
  text: string,
  from: number,
  to: number,
  lastRole: WordRole | null,
  sinceRole: number,
  codeBefore: number,
): NumberRead {
  let end = from;
  while (end < to && isDigit(text.charCodeAt(end))) end += 1;
  const digits = end - from;
  const next = text.charCodeAt(end);

  if (digits === 8 && next === 45 && text.charCodeAt(from + 13) === 45 && text.charCodeAt(from + 23) === 45) {
    return { end: Math.min(to, from + 36), value: 0, isVolatile: true };
  }
  if (digits === 4 && next === 45 && isDate(text, from))
    return { end: endOfTime(text, from + 10, to), value: 0, isVolatile: true };
  if (digits <= 2 && next === 58 && isClock(text, end))
    return { end: endOfTime(text, end, to), value: 0, isVolatile: true };

  while ((text.charCodeAt(end) === 46 || text.charCodeAt(end) === 44) && isDigit(text.charCodeAt(end + 1))) {
    end += 1;
    while (end < to && isDigit(text.charCodeAt(end))) end += 1;
  }
  const value = decimalOf(text, from, end);
  // "0.001234": six decimal places are a measured time, not a result.
  if (value < 10 && end - from >= 8 && text.charCodeAt(from + 1) === 46)
    return { end, value, isVolatile: true };
  if (isLetter(text.charCodeAt(end))) return readSuffix(text, from, end, to, value, lastRole, sinceRole);

  const isNamed = lastRole === 'label' && sinceRole === 0;
  const isPort = codeBefore === 58 && value >= EPHEMERAL_PORT_MIN && value <= PORT_MAX;
  // "nginx (4211)": a number of four digits alone in brackets is an id.
  const isBoxed = digits >= 4 && end - from === digits && isBox(codeBefore, text.charCodeAt(end));
  const isMeasured = lastRole === 'measure' && sinceRole === 0;
  const unitEnd = isMeasured || text.charCodeAt(end) !== 32 ? 0 : unitEndAt(text, end + 1, to);
  if (unitEnd > 0) return { end: unitEnd, value, isVolatile: true };
  return {
    end,
    value: Number.isFinite(value) ? value : 0,
    isVolatile: isNamed || isPort || isBoxed,
  };
}

/** By hand: slicing and parsing would cost more than the rest of reading a number. */
function decimalOf(text: string, from: number, end: number): number {
  let value = 0;
  let scale = 0;
  for (let index = from; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 46) scale = scale === 0 ? 1 : scale;
    else if (code !== 44) {
      value = value * 10 + (code - 48);
      scale *= 10;
    }
  }
  return scale > 1 ? value / scale : value;
}

/** "7s", "0x7ffd", "12ab34cd", "3rd", "22m". */
function readSuffix(
  text: string,
  from: number,
  digitsEnd: number,
  to: number,
  value: number,
  lastRole: WordRole | null,
  sinceRole: number,
): NumberRead {
  let end = digitsEnd;
  let isHex = true;
  let unit = HASH_SEED;
  while (end < to) {
    const code = text.charCodeAt(end);
    if (!isDigit(code) && !isLetter(code) && code !== 95) break;
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    if (!isDigit(code) && (folded < 97 || folded > 102)) isHex = false;
    unit = mix(unit, code | 32);
    end += 1;
  }
  const isMeasured = lastRole === 'measure' && sinceRole === 0;
  const isSpan = roleOf(unit) === 'unit' && !isMeasured;
  const isAddress = text.charCodeAt(from) === 48 && text.charCodeAt(from + 1) === 120;
  const isId = (isHex && end - from >= 7) || end - from >= 16;
  if (isHex && end - from === 8 && text.charCodeAt(from + 8) === 45 && text.charCodeAt(from + 13) === 45) {
    return { end: Math.min(to, from + 36), value: 0, isVolatile: true };
  }
  return { end, value: Number.isFinite(value) ? value : 0, isVolatile: isSpan || isAddress || isId };
}

const isBox = (open: number, close: number): boolean =>
  (open === 40 && close === 41) || (open === 91 && close === 93);

/** Where the unit that begins here ends; 0 if there is none. */
function unitEndAt(text: string, from: number, to: number): number {
  let end = from;
  let hash = HASH_SEED;
  while (end < to && end - from < 8 && isLetter(text.charCodeAt(end))) {
    hash = mix(hash, text.charCodeAt(end) | 32);
    end += 1;
  }
  return end > from && !isLetter(text.charCodeAt(end)) && roleOf(hash) === 'unit' ? end : 0;
}

/** yyyy-mm-dd */
function isDate(text: string, from: number): boolean {
  return (
    isDigit(text.charCodeAt(from + 5)) &&
    isDigit(text.charCodeAt(from + 6)) &&
    text.charCodeAt(from + 7) === 45 &&
    isDigit(text.charCodeAt(from + 8)) &&
    isDigit(text.charCodeAt(from + 9))
  );
}

/** :mm:ss after the hours. "file.ts:12:34" has no hours before it and three parts only by accident. */
function isClock(text: string, colon: number): boolean {
  return (
    isDigit(text.charCodeAt(colon + 1)) &&
    isDigit(text.charCodeAt(colon + 2)) &&
    text.charCodeAt(colon + 3) === 58 &&
    isDigit(text.charCodeAt(colon + 4)) &&
    isDigit(text.charCodeAt(colon + 5))
  );
}

/** Skips the rest of a timestamp: "T09:12:35.649Z", " 09:12:48", "+02:00". */
function endOfTime(text: string, from: number, to: number): number {
  let end = from;
  if (text.charCodeAt(end) === 32 && !(isDigit(text.charCodeAt(end + 1)) && text.charCodeAt(end + 3) === 58))
    return end;
  while (end < to) {
    const code = text.charCodeAt(end);
    const isPart = isDigit(code) || code === 58 || code === 84 || code === 90 || code === 43;
    const isJoint =
      (code === 46 || code === 44 || code === 45 || (code === 32 && end === from)) &&
      isDigit(text.charCodeAt(end + 1));
    if (!isPart && !isJoint) break;
    end += 1;
  }
  return end;
}
