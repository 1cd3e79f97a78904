/** Classes of characters as bits of one table, so that a run of them is found without a regular expression. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const HEX_LETTER = 8;
const UNDERSCORE = 16;
const HYPHEN = 32;
const DOT = 64;
const BASE64_SIGN = 128;

export const ALNUM = LOWER | UPPER | DIGIT;
export const HEX = DIGIT | HEX_LETTER;
export const CAPITALS = UPPER | DIGIT;
/** base64url. */
export const URL_SAFE = ALNUM | UNDERSCORE | HYPHEN;
export const DOTTED = URL_SAFE | DOT;
export const BASE64 = ALNUM | BASE64_SIGN;
/** What RFC 6750 allows in a bearer token, but for `~`. */
export const TOKEN68 = DOTTED | BASE64_SIGN;

const classes = new Uint8Array(128);
const mark = (characters: string, bits: number): void => {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    classes[code] = (classes[code] ?? 0) | bits;
  }
};
mark('abcdefghijklmnopqrstuvwxyz', LOWER);
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
mark('0123456789', DIGIT);
mark('abcdef', HEX_LETTER);
mark('_', UNDERSCORE);
mark('-', HYPHEN);
mark('.', DOT);
mark('+/=', BASE64_SIGN);

const classOf = (code: number): number => (code < 128 ? (classes[code] ?? 0) : 0);

export const isOf = (text: string, index: number, bits: number): boolean =>
  index >= 0 && index < text.length && (classOf(text.charCodeAt(index)) & bits) !== 0;

/** The end of the run of such characters that starts here, but not beyond `max`. */
export function runEnd(text: string, from: number, bits: number, max = text.length): number {
  let end = from;
  while (end < max && (classOf(text.charCodeAt(end)) & bits) !== 0) end += 1;
  return end;
}

/** Where a run that ends here starts, but not before `min`. */
export function runStart(text: string, end: number, bits: number, min: number): number {
  let start = end;
  while (start > min && (classOf(text.charCodeAt(start - 1)) & bits) !== 0) start -= 1;
  return start;
}

/** What kinds of characters a text has, as bits; `OTHER` for everything that has no class. */
export const OTHER = 256;

export function kindsIn(text: string): number {
  let bits = 0;
  for (let index = 0; index < text.length; index += 1) bits |= classOf(text.charCodeAt(index)) || OTHER;
  return bits;
}

export const hasDigit = (kinds: number): boolean => (kinds & DIGIT) !== 0;
export const hasLower = (kinds: number): boolean => (kinds & LOWER) !== 0;
export const hasUpper = (kinds: number): boolean => (kinds & UPPER) !== 0;
export const hasLetter = (kinds: number): boolean => (kinds & (LOWER | UPPER)) !== 0;
