import { type Gauge, noGauge } from './gauge.ts';
import { finish, HASH_SEED, mix } from './hash.ts';
import { isTestWord, roleOf, type WordRole } from './vocabulary.ts';
import { readNumber } from './volatile.ts';

const NEWLINE = 10;
const ESCAPE = 27;
const PATH_END = ' \t\n\r"\'`),;:]>';
const MASK = 35; // '#': stands for whatever was volatile

const OTHER = 0;
const DIGIT = 1;
const HEX_LETTER = 2;
const LETTER = 3;
/** The class of each ASCII character; a table, because it is needed for every character of every result. */
const KIND = new Uint8Array(128);
for (let code = 48; code <= 57; code += 1) KIND[code] = DIGIT;
for (let code = 97; code <= 122; code += 1) {
  KIND[code] = code <= 102 ? HEX_LETTER : LETTER;
  KIND[code - 32] = KIND[code] ?? LETTER;
}
KIND[95] = LETTER;
/** No word with a role is longer than this. */
const ROLE_LENGTH_MAX = 12;

/** Spinners and bars: braille, blocks, box drawing. */
const isDecoration = (code: number): boolean =>
  code >= 0x2500 && code <= 0x28ff && code !== 0x2713 && code !== 0x2717;

/**
 * Reads a result line by line in one pass and keeps two running hashes. A class, although core is made of functions,
 * because this is the one hot loop: its twenty registers cost nothing as fields, and more than the reading itself as
 * an object returned per token. `readResult` keeps one instance and resets it for each result.
 */
export class LineReader {
  lines = 0;
  blocks: number[] = [];
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
  private tokens = 0;
  private words = 0;
  private numbers = 0;
  private isAccounting = false;
  private isBracketed = false;
  private hasSeparator = false;
  private lastCode = 0;
  private lastRole: WordRole | null = null;
  private lastNumber = -1;
  private sinceNumber = 9;
  private sinceRole = 9;
  private separator = 0;
  private lineBad = -1;
  private lineGood = -1;
  private lineShare = -1;

  reset(): void {
    this.lines = 0;
    this.blocks = [];
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

  read(text: string, from: number, to: number): void {
    let index = from;
    this.beginLine();
    while (index < to) {
      const code = text.charCodeAt(index);
      const kind = code < 128 ? KIND[code] : code > 0xbf && !isDecoration(code) ? LETTER : OTHER;
      if (kind === DIGIT) index = this.number(text, index, to);
      else if (kind !== OTHER) index = this.word(text, index, to);
      else if (code === 32) index += 1;
      else if (code === NEWLINE) {
        this.endLine();
        index += 1;
      } else if (code === 13 && text.charCodeAt(index + 1) !== NEWLINE) {
        this.beginLine(); // a carriage return overwrites the line: only its last state was ever shown
        index += 1;
      } else if (code <= 32) {
        index = code === ESCAPE ? skipEscape(text, index, to) : index + 1;
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
    this.tokens = 0;
    this.words = 0;
    this.numbers = 0;
    this.isAccounting = false;
    this.isBracketed = false;
    this.hasSeparator = false;
    this.lastCode = 0;
    this.lastRole = null;
    this.lastNumber = -1;
    this.sinceNumber = 9;
    this.sinceRole = 9;
    this.separator = 0;
    this.lineBad = -1;
    this.lineGood = -1;
    this.lineShare = -1;
  }

  private endLine(): void {
    if (this.tokens === 0) {
      this.isAfterBlank = true;
      return this.beginLine();
    }
    const isAfterBlank = this.isAfterBlank;
    this.isAfterBlank = false;
    if (this.words === 0) {
      // A rule ("---") may begin a footer of one or two lines, in which numbers do not count.
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
    const isJob = this.isBracketed && this.tokens === 4 && this.numbers === 2;
    const line = finish(this.isAccounting || isJob ? this.skeletonLine : this.exactLine);
    if (this.lines === 0)
      this.firstLine = finish(
        isJob || (isEnclosed && this.isAccounting) ? this.skeletonLine : this.exactLine,
      );
    this.exactSum = mix(this.exactSum, line);
    this.skeletonSum = mix(this.skeletonSum, this.skeletonLine);
    const slot = this.lines & 7;
    if (this.lines < 8) this.blocks.push(line);
    else this.blocks[slot] = ((this.blocks[slot] ?? 0) + line) | 0;
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
    if (this.tokens === 0 && (code === 91 || code === 40 || code === 60)) this.isBracketed = true;
    if (code === 37 && this.sinceNumber === 0) this.noteShare(this.lastNumber / 100);
    if (code === 124 || code === 183 || code === 0x2014 || code === 0x2022) this.hasSeparator = true;
    this.separator = code;
    if (code === this.lastCode) return; // bars and rules: any length is the same
    this.lastCode = code;
    this.tokens += 1;
    this.exactLine = mix(this.exactLine, code);
    this.skeletonLine = mix(this.skeletonLine, code);
  }

  private number(text: string, from: number, to: number): number {
    const read = readNumber(text, from, to, this.lastRole, this.sinceRole, this.lastCode);
    this.tokens += 1;
    this.words += 1;
    this.numbers += 1;
    this.lastCode = 0;
    if (read.isVolatile) {
      this.exactLine = mix(this.exactLine, MASK);
      this.skeletonLine = mix(this.skeletonLine, MASK);
      this.sinceNumber = 9;
      this.sinceRole += 1;
      return read.end;
    }
    let hash = HASH_SEED;
    for (let index = from; index < read.end; index += 1) hash = mix(hash, text.charCodeAt(index));
    this.exactLine = mix(this.exactLine, hash);
    this.skeletonLine = mix(this.skeletonLine, MASK);
    this.noteNumber(read.value);
    this.lastNumber = read.value;
    this.sinceNumber = 0;
    this.sinceRole += 1;
    this.separator = 0;
    return read.end;
  }

  /** "failures: 3", "4 / 9", "4 of 9", "137|4810". */
  private noteNumber(value: number): void {
    const isAssigned = this.sinceRole === 0 && (this.separator === 58 || this.separator === 61);
    if (isAssigned && this.lastRole === 'bad') this.noteBad(value);
    if (isAssigned && this.lastRole === 'good') this.noteGood(value);
    const isSlashed = this.sinceNumber === 0 && (this.separator === 47 || this.separator === 124);
    const isOf = this.sinceNumber === 1 && this.lastRole === 'of' && this.sinceRole === 0;
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

  private word(text: string, from: number, to: number): number {
    let end = from;
    let digits = 0;
    let isHex = true;
    let hash = HASH_SEED;
    while (end < to) {
      const code = text.charCodeAt(end);
      const kind = code < 128 ? KIND[code] : code > 0xbf && !isDecoration(code) ? LETTER : OTHER;
      if (kind === OTHER) break;
      if (kind === DIGIT) digits += 1;
      else if (kind === LETTER) isHex = false;
      hash = Math.imul(hash ^ (code | 32), 0x01000193); // case does not matter
      end += 1;
    }
    const length = end - from;
    this.tokens += 1;
    this.words += 1;
    this.lastCode = 0;
    if (digits === 0 && this.lastRole !== 'temp' && !(isHex && length === 8)) {
      this.exactLine = mix(this.exactLine, hash);
      this.skeletonLine = mix(this.skeletonLine, hash);
      this.noteRole(length <= ROLE_LENGTH_MAX ? roleOf(hash) : null, hash);
      return end;
    }
    const isTemporary = this.lastRole === 'temp' && this.sinceRole === 0 && this.separator === 47;
    const isUuid = isHex && length === 8 && isUuidAt(text, from);
    const isId =
      isUuid || isTemporary || (digits > 0 && ((isHex && length >= 7) || (length >= 16 && digits >= 4)));
    if (isId) {
      this.exactLine = mix(this.exactLine, MASK);
      this.skeletonLine = mix(this.skeletonLine, MASK);
      this.sinceRole += 1;
      this.sinceNumber += 1;
      if (isTemporary) return skipPath(text, end, to);
      return isUuid ? from + UUID_LENGTH : end;
    }
    this.exactLine = mix(this.exactLine, hash);
    this.skeletonLine = mix(
      this.skeletonLine,
      isHex && digits > 0 && length >= 6 ? MASK : withoutDigits(text, from, end),
    );
    this.noteRole(length <= ROLE_LENGTH_MAX ? roleOf(hash) : null, hash);
    return end;
  }

  private noteRole(role: WordRole | null, hash: number): void {
    if (role === 'bad' || role === 'good') this.hasTestWord ||= isTestWord(hash);
    // "3 failed", and one word between: "11 previous errors", "2 tests failed".
    if (this.sinceNumber <= 1) {
      if (role === 'bad') this.noteBad(this.lastNumber);
      if (role === 'good') this.noteGood(this.lastNumber);
      if (role === 'bad' || role === 'good') this.sinceNumber = 9;
    }
    if (role === 'accounting') this.isAccounting = true;
    this.sinceNumber += 1;
    this.sinceRole = role === null ? this.sinceRole + 1 : 0;
    if (role !== null) this.lastRole = role;
    this.separator = 0;
  }
}

function withoutDigits(text: string, from: number, end: number): number {
  let hash = HASH_SEED;
  let wasDigit = false;
  for (let index = from; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const isDigit = code >= 48 && code <= 57;
    if (!isDigit) hash = mix(hash, code | 32);
    else if (!wasDigit) hash = mix(hash, MASK);
    wasDigit = isDigit;
  }
  return hash;
}

function skipEscape(text: string, from: number, to: number): number {
  if (text.charCodeAt(from + 1) !== 91) return from + 1;
  let index = from + 2;
  while (index < to && (text.charCodeAt(index) < 64 || text.charCodeAt(index) > 126)) index += 1;
  return index + 1;
}

/** Names below a temporary folder are random. */
function skipPath(text: string, from: number, to: number): number {
  let index = from;
  while (index < to && PATH_END.indexOf(text[index] ?? ' ') < 0) index += 1;
  return index;
}

const UUID_LENGTH = 36;

function isUuidAt(text: string, from: number): boolean {
  return (
    text.charCodeAt(from + 8) === 45 &&
    text.charCodeAt(from + 13) === 45 &&
    text.charCodeAt(from + 18) === 45 &&
    text.charCodeAt(from + 23) === 45
  );
}
