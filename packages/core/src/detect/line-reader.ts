import { type Gauge, noGauge } from './gauge.ts';
import { finish, hashCopied } from './hash.ts';
import { isTestWord, roleOf, type WordRole } from './vocabulary.ts';
import {
  type Codes,
  decimalOf,
  isUuidAt,
  readNumber,
  skipEscape,
  skipPath,
  UUID_LENGTH,
} from './volatile.ts';

// As in `hash.ts` and `volatile.ts`, but not imported: V8 folds only a module's own constants, and this loop is the
// one place where that matters.
const HASH_SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
const mix = (hash: number, value: number): number => Math.imul(hash ^ value, PRIME);
const at = (codes: Codes, index: number): number => codes[index] ?? 0;

const NEWLINE = 10;
const ESCAPE = 27;
const MASK = 35; // '#': stands for whatever was volatile

/** The class of a character: one bit each, so that the classes in a word add up. */
const OTHER = 0;
const DIGIT = 1;
const HEX_LETTER = 2;
const LETTER = 4;
/** Spinners and bars: braille, blocks, box drawing. */
const isDecoration = (code: number): boolean =>
  code >= 0x2500 && code <= 0x28ff && code !== 0x2713 && code !== 0x2717;
/** Of each character; a whole table, because it is needed for every character of every result. */
const KINDS = new Uint8Array(0x10000);
for (let code = 0xc0; code < KINDS.length; code += 1) if (!isDecoration(code)) KINDS[code] = LETTER;
for (let code = 48; code <= 57; code += 1) KINDS[code] = DIGIT;
for (let code = 97; code <= 122; code += 1) {
  KINDS[code] = code <= 102 ? HEX_LETTER : LETTER;
  KINDS[code - 32] = KINDS[code] ?? LETTER;
}
KINDS[95] = LETTER;

/** An ordinal of words that is far from every other. */
const NEVER = -9;
/** No word with a role is longer than this. */
const ROLE_LENGTH_MAX = 12;

/** The longest text that can be read at once. */
export const READ_MAX = 16_384;

/**
 * Reads a result line by line in one pass and keeps two running hashes. A class, although core is made of functions,
 * because this is the one hot loop: its twenty registers cost nothing as fields, and more than the reading itself as
 * an object returned per token. `readResult` keeps one instance and resets it for each result.
 */
export class LineReader {
  /** The text that is read: codes in an array are read twice as fast as characters of a string. */
  private readonly codes: Codes = new Uint16Array(READ_MAX + UUID_LENGTH);
  lines = 0;
  private readonly sums = new Int32Array(8);
  private exactSum = HASH_SEED;
  private skeletonSum = HASH_SEED;
  /** From before the last change of `exactSum`, so that a footer can be masked afterwards. */
  private exactBeforeFooter = HASH_SEED;
  private footerSkeleton = HASH_SEED;
  private footerLines = -1;
  private firstLine = 0;
  private isAfterBlank = false;
  private bad = -1;
  private good = -1;
  private share = -1;
  /** A word was read that test runners use in their summaries. */
  hasTestWord = false;

  // One line.
  private exactLine = HASH_SEED;
  private skeletonLine = HASH_SEED;
  /** Words and numbers. */
  private words = 0;
  private numbers = 0;
  /** Signs. */
  private marks = 0;
  private isAccounting = false;
  private isBracketed = false;
  private hasSeparator = false;
  /** The last sign; 0 if it was followed by a word. */
  private lastCode = 0;
  /** Of the last word, if it has a role. */
  private lastRole: WordRole | null = null;
  private lastNumber = -1;
  /** `words` when `lastNumber` was read. */
  private numberAt = NEVER;
  /** The last sign after `lastRole` or `lastNumber`. */
  private separator = 0;
  private lineBad = -1;
  private lineGood = -1;
  private lineShare = -1;

  /** Takes a text of at most `READ_MAX` characters, to be read next. Returns its hash, as `hashRaw` does. */
  load(text: string): number {
    const { codes } = this;
    const hash = hashCopied(text, codes);
    // By hand: `fill` is a call that costs more than this.
    const end = text.length + UUID_LENGTH;
    for (let index = text.length; index < end; index += 1) codes[index] = 0;
    return hash;
  }

  /** Takes a part of a longer text. What follows it is copied too, to see what its last number is. */
  loadPart(text: string, from: number, to: number): void {
    const { codes } = this;
    const end = to - from + UUID_LENGTH;
    for (let index = 0; index < end; index += 1) codes[index] = text.charCodeAt(from + index);
  }

  reset(): void {
    this.lines = 0;
    this.exactSum = HASH_SEED;
    this.skeletonSum = HASH_SEED;
    this.exactBeforeFooter = HASH_SEED;
    this.footerSkeleton = HASH_SEED;
    this.footerLines = -1;
    this.firstLine = 0;
    this.isAfterBlank = false;
    this.bad = -1;
    this.good = -1;
    this.share = -1;
    this.hasTestWord = false;
  }

  /** Reads that many characters of what was loaded. */
  read(to: number): void {
    const { codes } = this;
    let index = 0;
    this.beginLine();
    while (index < to) {
      let code = at(codes, index);
      let kind = KINDS[code] ?? OTHER;
      if (kind > DIGIT) {
        const start = index;
        let kinds = OTHER;
        let hash = HASH_SEED;
        do {
          kinds |= kind;
          hash = mix(hash, code | 32); // case does not matter
          index += 1;
          code = index < to ? at(codes, index) : NEWLINE;
          kind = KINDS[code] ?? OTHER;
        } while (kind !== OTHER);
        const end = this.word(codes, start, index, to, hash, kinds);
        if (end !== index || end >= to) {
          index = end;
          continue;
        }
      }
      if (code === 32) index += 1;
      else if (kind === DIGIT) index = this.number(codes, index, to);
      else if (code === NEWLINE) {
        this.endLine();
        index += 1;
      } else if (code === 13 && at(codes, index + 1) !== NEWLINE) {
        this.beginLine(); // a carriage return overwrites the line: only its last state was ever shown
        index += 1;
      } else if (code <= 32) {
        index = code === ESCAPE ? skipEscape(codes, index, to) : index + 1;
      } else {
        this.punctuation(code);
        index += 1;
      }
    }
    this.endLine();
  }

  exact(): number {
    if (this.footerLines >= 1 && this.footerLines <= 2)
      return mix(this.exactBeforeFooter, this.footerSkeleton);
    if (this.lines === 1) return this.firstLine;
    return this.exactSum;
  }

  /** Hashes of the lines, added up by line number modulo 8; only for eight lines and more. */
  blocks(): readonly number[] {
    const blocks: number[] = [];
    for (let slot = 0; slot < 8; slot += 1) blocks.push(this.sums[slot] ?? 0);
    return blocks;
  }

  skeleton(): number {
    return this.skeletonSum;
  }

  gauge(): Gauge {
    if (this.bad < 0 && this.good < 0 && this.share < 0) return noGauge;
    return { bad: this.bad, good: this.good, share: this.share };
  }

  private beginLine(): void {
    this.exactLine = HASH_SEED;
    this.skeletonLine = HASH_SEED;
    this.words = 0;
    this.numbers = 0;
    this.marks = 0;
    this.isAccounting = false;
    this.isBracketed = false;
    this.hasSeparator = false;
    this.lastCode = 0;
    this.lastRole = null;
    this.lastNumber = -1;
    this.numberAt = NEVER;
    this.separator = 0;
    this.lineBad = -1;
    this.lineGood = -1;
    this.lineShare = -1;
  }

  private endLine(): void {
    if (this.words + this.marks === 0) {
      this.isAfterBlank = true;
      return this.beginLine();
    }
    const isAfterBlank = this.isAfterBlank;
    this.isAfterBlank = false;
    if (this.words === 0) {
      // A rule ("---") may begin a footer of one or two lines, in which numbers do not count, or stand inside one.
      if (this.footerLines === 1) return this.beginLine();
      this.exactBeforeFooter = this.exactSum;
      this.footerSkeleton = HASH_SEED;
      this.footerLines = 0;
      return this.beginLine();
    }
    const isInBrackets =
      this.isBracketed && (this.lastCode === 93 || this.lastCode === 41 || this.lastCode === 62);
    // "request 7 | took 3 ms | node 4" after a blank line: bookkeeping, unless it counts failures.
    const isSetApart = isAfterBlank && this.hasSeparator && this.lineBad < 0 && this.lineGood < 0;
    const isEnclosed = isInBrackets || isSetApart;
    if (isEnclosed && this.lines > 0 && this.footerLines < 0) {
      this.exactBeforeFooter = this.exactSum;
      this.footerSkeleton = finish(this.skeletonLine);
      this.footerLines = 1;
    } else if (this.footerLines >= 0) {
      this.footerSkeleton = mix(this.footerSkeleton, this.skeletonLine);
      this.footerLines += isEnclosed || this.footerLines < 3 ? 1 : 0;
    }
    if (!this.isAccounting && !isEnclosed && this.footerLines < 1) this.commitGauges();
    // "[2] 19449": printed by a shell when it starts a job.
    const isJob = this.isBracketed && this.words + this.marks === 4 && this.numbers === 2;
    const line = finish(this.isAccounting || isJob ? this.skeletonLine : this.exactLine);
    if (this.lines === 0)
      this.firstLine = finish(
        isJob || (isEnclosed && this.isAccounting) ? this.skeletonLine : this.exactLine,
      );
    this.exactSum = mix(this.exactSum, line);
    this.skeletonSum = mix(this.skeletonSum, this.skeletonLine);
    const slot = this.lines & 7;
    this.sums[slot] = this.lines < 8 ? line : (this.sums[slot] ?? 0) + line;
    this.lines += 1;
    this.beginLine();
  }

  private commitGauges(): void {
    if (this.lineBad >= 0) this.bad = Math.max(this.bad, 0) + this.lineBad;
    if (this.lineGood >= 0) this.good = Math.max(this.good, 0) + this.lineGood;
    if (this.lineShare >= 0) this.share = Math.max(this.share, this.lineShare);
  }

  private punctuation(code: number): void {
    if (isDecoration(code)) return;
    if (this.words + this.marks === 0 && (code === 91 || code === 40 || code === 60)) this.isBracketed = true;
    if (code === 37 && this.words === this.numberAt) this.noteShare(this.lastNumber / 100);
    if (code === 124 || code === 183 || code === 0x2014 || code === 0x2022) this.hasSeparator = true;
    this.separator = code;
    if (code === this.lastCode) return; // bars and rules: any length is the same
    this.lastCode = code;
    this.marks += 1;
    this.exactLine = mix(this.exactLine, code);
    this.skeletonLine = mix(this.skeletonLine, code);
  }

  private number(codes: Codes, from: number, to: number): number {
    const role = this.lastRole;
    const read = readNumber(codes, from, to, role, this.lastCode);
    this.numbers += 1;
    this.lastCode = 0;
    this.lastRole = null;
    this.skeletonLine = mix(this.skeletonLine, MASK);
    if (read < 0) {
      this.exactLine = mix(this.exactLine, MASK);
      this.words += 1;
      this.numberAt = NEVER;
      return -read;
    }
    let hash = HASH_SEED;
    for (let index = from; index < read; index += 1) hash = mix(hash, at(codes, index));
    this.exactLine = mix(this.exactLine, hash);
    const value = decimalOf(codes, from, read);
    this.noteNumber(value, role);
    this.words += 1;
    this.lastNumber = value;
    this.numberAt = this.words;
    this.separator = 0;
    return read;
  }

  /** "failures: 3", "4 / 9", "4 of 9", "137|4810". */
  private noteNumber(value: number, role: WordRole | null): void {
    const { separator } = this;
    const sinceNumber = this.words - this.numberAt;
    const isAssigned = separator === 58 || separator === 61;
    if (isAssigned && role === 'bad') this.noteBad(value);
    if (isAssigned && role === 'good') this.noteGood(value);
    const isSlashed = sinceNumber === 0 && (separator === 47 || separator === 124);
    const isOf = sinceNumber === 1 && role === 'of';
    if ((isSlashed || isOf) && value >= 2 && this.lastNumber <= value)
      this.noteShare(this.lastNumber / value);
  }

  private noteShare(share: number): void {
    if (share >= 0 && share <= 1) this.lineShare = Math.max(this.lineShare, share);
  }

  private noteBad(value: number): void {
    this.lineBad = Math.max(this.lineBad, 0) + value;
  }

  private noteGood(value: number): void {
    this.lineGood = Math.max(this.lineGood, 0) + value;
  }

  /** Returns where to read on. */
  private word(codes: Codes, from: number, end: number, to: number, hash: number, kinds: number): number {
    const length = end - from;
    if ((kinds & DIGIT) !== 0 || this.lastRole === 'temp' || (kinds === HEX_LETTER && length === 8))
      return this.oddWord(codes, from, end, to, hash, kinds);
    this.exactLine = mix(this.exactLine, hash);
    this.skeletonLine = mix(this.skeletonLine, hash);
    this.noteWord(length <= ROLE_LENGTH_MAX ? roleOf(hash) : null, hash);
    return end;
  }

  /** A word that may be an id: it has digits, or the length of a hash, or comes after "tmp". */
  private oddWord(codes: Codes, from: number, end: number, to: number, hash: number, kinds: number): number {
    const length = end - from;
    const isHex = (kinds & LETTER) === 0;
    const hasDigits = (kinds & DIGIT) !== 0;
    const isTemporary = this.lastRole === 'temp' && this.separator === 47;
    const isUuid = isHex && length === 8 && isUuidAt(codes, from);
    const isHash = hasDigits && isHex && length >= 7;
    if (isUuid || isTemporary || isHash || (length >= 16 && digitsIn(codes, from, end) >= 4)) {
      this.exactLine = mix(this.exactLine, MASK);
      this.skeletonLine = mix(this.skeletonLine, MASK);
      this.noteWord(null, hash);
      if (isTemporary) return skipPath(codes, end, to);
      return isUuid ? from + UUID_LENGTH : end;
    }
    const isMasked = isHex && hasDigits && length >= 6;
    this.exactLine = mix(this.exactLine, hash);
    this.skeletonLine = mix(this.skeletonLine, isMasked ? MASK : withoutDigits(codes, from, end));
    this.noteWord(length <= ROLE_LENGTH_MAX ? roleOf(hash) : null, hash);
    return end;
  }

  private noteWord(role: WordRole | null, hash: number): void {
    if (role !== null) this.noteRole(role, hash);
    this.words += 1;
    this.lastCode = 0;
    this.lastRole = role;
  }

  private noteRole(role: WordRole, hash: number): void {
    if (role === 'accounting') this.isAccounting = true;
    this.separator = 0;
    if (role !== 'bad' && role !== 'good') return;
    this.hasTestWord ||= isTestWord(hash);
    // "3 failed", and one word between: "11 previous errors", "2 tests failed".
    if (this.words - this.numberAt > 1) return;
    if (role === 'bad') this.noteBad(this.lastNumber);
    else this.noteGood(this.lastNumber);
    this.numberAt = NEVER;
  }
}

function digitsIn(codes: Codes, from: number, end: number): number {
  let digits = 0;
  for (let index = from; index < end; index += 1) if (KINDS[at(codes, index)] === DIGIT) digits += 1;
  return digits;
}

function withoutDigits(codes: Codes, from: number, end: number): number {
  let hash = HASH_SEED;
  let wasDigit = false;
  for (let index = from; index < end; index += 1) {
    const code = at(codes, index);
    const isDigit = code >= 48 && code <= 57;
    if (!isDigit) hash = mix(hash, code | 32);
    else if (!wasDigit) hash = mix(hash, MASK);
    wasDigit = isDigit;
  }
  return hash;
}
