import type { ServerResponse } from 'node:http';
import { type EventType, type HolterEvent, type Instant, instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import { type EventQuery, type Store, StoreUnavailable } from '../store/store.ts';
import { readEventPage } from './event-page.ts';
import { streamHeaders } from './stream-places.ts';
import { roomIn } from './stream-room.ts';
import { eventView, streamedView } from './views.ts';

const PAGE = 200;
/** Many commits come at once; one look serves them all. */
const GATHER_MS = 25;
/** Another server may have committed without a hint: polling is the truth, hints only make it quick. */
const POLL_MS = 2_000;
const KEEP_ALIVE_MS = 15_000;

export type StreamFilter = Pick<EventQuery, 'agentId' | 'types' | 'incidentId'>;

type StreamContext = {
  readonly store: Pick<Store, 'readEvents' | 'lastCursor'>;
  readonly clock: Clock;
  readonly bytesMax: number;
  readonly onClose: () => void;
};

/**
 * One listener. Stored events are pulled by cursor, never pushed: so nothing is skipped, whatever is
 * committed late, and a slow reader costs one page of memory. What is not stored (heartbeats) is pushed,
 * and left out while the reader is behind.
 */
export class EventStream {
  private readonly out: ServerResponse;
  private readonly filter: StreamFilter;
  private readonly context: StreamContext;
  private cursor: number;
  private isReading = false;
  private isWanted = false;
  private isClosed = false;
  private cancelWake: (() => void) | null = null;
  private cancelPulse: () => void = () => undefined;
  private saidAt: Instant = instant(0);

  constructor(out: ServerResponse, filter: StreamFilter, after: number, context: StreamContext) {
    this.out = out;
    this.filter = filter;
    this.cursor = after;
    this.context = context;
  }

  start(): void {
    this.out.writeHead(200, streamHeaders);
    // The id comes first: who is cut off before the first event resumes from here and misses nothing.
    this.write(`id: ${this.cursor}\nretry: 2000\n: events after ${this.cursor}\n\n`);
    this.out.on('close', () => this.close(null));
    this.out.on('error', () => this.close(null));
    this.pulse();
    void this.read();
  }

  /** Something was committed. */
  hint(): void {
    if (this.isClosed || this.cancelWake) return;
    this.cancelWake = this.context.clock.after(GATHER_MS, () => {
      this.cancelWake = null;
      void this.read();
    });
  }

  wants(event: HolterEvent, agentId: string): boolean {
    const { types, agentId: only, incidentId } = this.filter;
    if (incidentId !== undefined || (only !== undefined && only !== agentId)) return false;
    return types === undefined || types.includes(event.type as EventType);
  }

  /** News that is not kept. Nobody may build on it, so it may be left out. */
  tell(frame: string): void {
    if (!this.isClosed && this.out.writableLength < this.context.bytesMax / 2) this.write(frame);
  }

  /** With a reason, the listener is told it in a comment. */
  close(why: string | null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancelWake?.();
    this.cancelPulse();
    if (why !== null) this.out.end(`: ${why}\n\n`);
    this.context.onClose();
  }

  private async read(): Promise<void> {
    if (this.isReading) {
      this.isWanted = true;
      return;
    }
    this.isReading = true;
    try {
      do {
        this.isWanted = false;
        while (!this.isClosed && (await this.readPage())) {}
      } while (this.isWanted && !this.isClosed);
    } catch (error) {
      // The next poll tries again from the same cursor.
      if (!(error instanceof StoreUnavailable)) this.close('an error on our side');
    } finally {
      this.isReading = false;
    }
  }

  /** True when there may be more. */
  private async readPage(): Promise<boolean> {
    // A reader that takes nothing for too long is sent away meanwhile.
    if (!(await roomIn(this.out, this.context.bytesMax))) return false;
    const { store } = this.context;
    // Read before the page: whatever lies up to it is visible to the page, so it need not be asked again.
    const last = await store.lastCursor();
    if (last <= this.cursor) return false;
    const { events, hasMore } = await readEventPage(store, {
      ...this.filter,
      after: this.cursor,
      limit: PAGE,
    });
    let frames = '';
    for (const event of events) frames += frameOf(event.cursor, eventView(event));
    if (this.isClosed) return false;
    if (frames !== '') this.write(frames);
    const seen = events.at(-1)?.cursor ?? this.cursor;
    this.cursor = hasMore ? seen : Math.max(seen, last);
    return hasMore;
  }

  private pulse(): void {
    const { clock } = this.context;
    this.cancelPulse = clock.after(POLL_MS, () => {
      if (this.isClosed) return;
      void this.read();
      this.pulse();
      if (clock.now() - this.saidAt >= KEEP_ALIVE_MS) this.tell(': still here\n\n');
    });
  }

  private write(text: string): void {
    this.saidAt = this.context.clock.now();
    this.out.write(text);
  }
}

function frameOf(cursor: number | null, view: { readonly type: string }): string {
  const id = cursor === null ? '' : `id: ${cursor}\n`;
  return `${id}event: ${view.type}\ndata: ${JSON.stringify(view)}\n\n`;
}

export const streamedFrame = (event: HolterEvent, agentId: string): string =>
  frameOf(null, streamedView(event, agentId));
