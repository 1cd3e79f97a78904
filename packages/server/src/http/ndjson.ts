import { isUtf8 } from 'node:buffer';

const NEWLINE = 10;

/** What came of one piece of a body: whole lines, and how many of them were longer than allowed. */
export type Line = { readonly text: string } | { readonly fault: 'line_too_long' | 'bad_utf8' };

/**
 * Cuts a body into lines as it arrives. Never holds more than one unfinished line: what is too long is
 * thrown away up to its end, and the line after it counts again.
 */
export class LineCutter {
  private readonly bytesMax: number;
  private rest: Buffer[] = [];
  private restBytes = 0;
  private isSkipping = false;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      this.finish(chunk.subarray(from, to), lines);
      from = to + 1;
    }
    if (from < chunk.length) this.keep(chunk.subarray(from));
    return lines;
  }

  /** The body ended well: a last line without a newline counts too. */
  end(): readonly Line[] {
    const lines: Line[] = [];
    if (this.restBytes > 0 || this.isSkipping) this.finish(Buffer.alloc(0), lines);
    return lines;
  }

  private keep(part: Buffer): void {
    if (this.isSkipping) return;
    this.rest.push(part);
    this.restBytes += part.length;
    if (this.restBytes <= this.bytesMax) return;
    this.isSkipping = true;
    this.rest = [];
    this.restBytes = 0;
  }

  private finish(part: Buffer, lines: Line[]): void {
    if (this.restBytes + part.length > this.bytesMax) this.isSkipping = true;
    if (this.isSkipping) {
      lines.push({ fault: 'line_too_long' });
    } else {
      const whole = this.restBytes === 0 ? part : Buffer.concat([...this.rest, part]);
      if (!isUtf8(whole)) lines.push({ fault: 'bad_utf8' });
      else {
        const text = whole.toString('utf8');
        if (!isBlank.test(text)) lines.push({ text });
      }
    }
    this.rest = [];
    this.restBytes = 0;
    this.isSkipping = false;
  }
}

const isBlank = /^\s*$/;
