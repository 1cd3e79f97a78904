import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '@holter/server/process';

/** What is sent at once; older output of a flood is left out. */
const CHARACTERS_MAX = 32_000;
const SEND_EVERY_MS = 1_000;

/**
 * Collects what the command prints and sends it about once a second, in whole lines. It is for people who look, so
 * what can't be sent is dropped, and the command never waits for it.
 */
export class OutputTail {
  private readonly clock: Clock;
  private readonly send: (text: string) => Promise<unknown>;
  private readonly decoders = new Map<number, StringDecoder>();
  private waiting = '';
  /** What comes next belongs to a line whose beginning was left out. */
  private isInsideCut = false;
  private isScheduled = false;
  private isSending = false;

  constructor(clock: Clock, send: (text: string) => Promise<unknown>) {
    this.clock = clock;
    this.send = send;
  }

  /** Standard output and error come together, as they would in a terminal. */
  put(bytes: Buffer, fd: number): void {
    const decoder = this.decoders.get(fd) ?? new StringDecoder('utf8');
    this.decoders.set(fd, decoder);
    this.keep(decoder.write(bytes));
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.clock.after(SEND_EVERY_MS, () => {
      this.isScheduled = false;
      void this.flush(this.waiting.lastIndexOf('\n') + 1);
    });
  }

  /** A line whose beginning is left out is left out whole: a secret in it could not be recognised any more. */
  private keep(text: string): void {
    const all = this.isInsideCut ? text : this.waiting + text;
    const kept = all.slice(-CHARACTERS_MAX);
    this.isInsideCut ||= kept.length < all.length;
    const lineEnd = this.isInsideCut ? kept.search(/[\r\n]/) : -1;
    this.isInsideCut &&= lineEnd === -1;
    this.waiting = this.isInsideCut ? '' : kept.slice(lineEnd + 1);
  }

  /** Sends what is left, also a line that has not ended; waits at most this long. */
  async close(msMax: number): Promise<void> {
    let cancel = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.clock.after(msMax, resolve);
    });
    await Promise.race([this.flush(this.waiting.length), timeout]);
    cancel();
  }

  private async flush(length: number): Promise<void> {
    const text = this.waiting.slice(0, length);
    // While no server answers, one sending waits for it, and the rest is collected within its bound.
    if (text === '' || this.isSending) return;
    this.isSending = true;
    this.waiting = this.waiting.slice(length);
    await this.send(text).catch(() => undefined);
    this.isSending = false;
  }
}
