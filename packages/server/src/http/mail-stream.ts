import type { ServerResponse } from 'node:http';
import type { Clock } from '../engine/clock.ts';
import { LetterRefused, type StreamEnd } from '../post/index.ts';
import type { StoredLetter } from '../store/letters.ts';
import { StoreUnavailable } from '../store/store.ts';
import { letterView } from './mail-view.ts';
import { streamHeaders } from './stream-places.ts';
import { roomIn } from './stream-room.ts';

/** A silent connection looks like a dead one to whatever lies between. */
const KEEP_ALIVE_MS = 15_000;
const RETRY_MS = 2_000;
/** Letters that were sent and not read yet: more than fit into a box. */
const SENT_MAX = 2_000;

type MailStreamContext = {
  readonly clock: Clock;
  readonly bytesMax: number;
  /** The unread letters after that one; waits for the first. */
  readonly next: (
    after: string | null,
    wait: { readonly waitMs: number; readonly isGone: () => Promise<boolean> },
  ) => Promise<readonly StoredLetter[]>;
  readonly onClose: (end: StreamEnd) => void;
};

/**
 * The unread letters of one box, oldest first, and then each that comes. The id of an event is the id of its letter. If
 * the letter where the stream was is gone, it begins again with all that are unread, without those that it has sent.
 */
export class MailStream {
  private readonly out: ServerResponse;
  private readonly context: MailStreamContext;
  private readonly sent = new Set<string>();
  private after: string | null;
  private isClosed = false;

  constructor(out: ServerResponse, after: string | null, context: MailStreamContext) {
    this.out = out;
    this.after = after;
    this.context = context;
  }

  start(): void {
    this.out.writeHead(200, streamHeaders);
    this.out.write(`retry: ${RETRY_MS}\n\n`);
    this.out.on('close', () => this.close(null));
    this.out.on('error', () => this.close(null));
    void this.run();
  }

  /** With a reason, the reader is told it in a comment. */
  close(why: string | null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (why !== null) this.out.end(`: ${why}\n\n`);
    this.context.onClose(why === null ? 'by-reader' : 'by-holter');
  }

  private async run(): Promise<void> {
    const { next, bytesMax } = this.context;
    while (!this.isClosed && (await roomIn(this.out, bytesMax))) {
      try {
        const letters = await next(this.after, {
          waitMs: KEEP_ALIVE_MS,
          isGone: async () => this.isClosed,
        });
        if (!this.isClosed) this.tell(letters);
      } catch (error) {
        if (!(error instanceof StoreUnavailable))
          return this.close(error instanceof LetterRefused ? error.message : 'an error on our side');
        await this.pause();
      }
    }
    this.close(null);
  }

  private tell(letters: readonly StoredLetter[]): void {
    if (letters.length === 0) this.out.write(': still here\n\n');
    for (const letter of letters) {
      const { letterId } = letter;
      this.after = letterId;
      if (this.sent.has(letterId)) continue;
      this.out.write(`id: ${letterId}\nevent: letter\ndata: ${JSON.stringify(letterView(letter))}\n\n`);
      this.sent.add(letterId);
      const oldest = this.sent.values().next();
      if (this.sent.size > SENT_MAX && !oldest.done) this.sent.delete(oldest.value);
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => void this.context.clock.after(RETRY_MS, resolve));
  }
}
