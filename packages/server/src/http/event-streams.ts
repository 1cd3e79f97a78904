import type { ServerResponse } from 'node:http';
import type { HolterEvent } from '@holter/core';
import { isKept } from '../store/facts.ts';
import type { HttpDeps, HttpLimits } from './deps.ts';
import { EventStream, type StreamFilter, streamedFrame } from './event-stream.ts';
import { HttpProblem } from './problem.ts';

/** All listeners of the event stream, and the engine's news for them. */
export class EventStreams {
  private readonly deps: HttpDeps;
  private readonly limits: HttpLimits;
  private readonly streams = new Set<EventStream>();
  private readonly others = new Set<{ readonly close: () => void }>();
  private readonly stops: readonly (() => void)[];

  constructor(deps: HttpDeps, limits: HttpLimits) {
    this.deps = deps;
    this.limits = limits;
    this.stops = [
      deps.engine.onFollowed(({ events }) => {
        if (this.streams.size === 0) return;
        if (events.some(isKept)) for (const stream of this.streams) stream.hint();
        this.tell(events.filter(({ type }) => type === 'AGENT_HEARTBEAT'));
      }),
      deps.engine.onStreamed((events) => this.tell(events)),
    ];
  }

  get size(): number {
    return this.streams.size + this.others.size;
  }

  checkRoom(): void {
    if (this.size < this.limits.streamsMax) return;
    throw new HttpProblem({
      status: 429,
      code: 'too_many_streams',
      message: `at most ${this.limits.streamsMax} may listen at once`,
      retryAfterSeconds: 5,
    });
  }

  open(out: ServerResponse, filter: StreamFilter, after: number, isAllowed: () => Promise<boolean>): void {
    const stream: EventStream = new EventStream(out, filter, after, {
      store: this.deps.store,
      clock: this.deps.clock,
      bytesMax: this.limits.streamBytesMax,
      stallMs: this.limits.streamStallMs,
      isAllowed,
      onClose: () => this.streams.delete(stream),
    });
    this.streams.add(stream);
    stream.start();
  }

  /** Another kind of stream counts too, and ends with the rest; returns what to call when it has ended. */
  hold(close: () => void): () => void {
    const held = { close };
    this.others.add(held);
    return () => this.others.delete(held);
  }

  close(): void {
    for (const stop of this.stops) stop();
    for (const other of this.others) other.close();
    for (const stream of this.streams) stream.close('the server stops');
  }

  private tell(events: readonly HolterEvent[]): void {
    if (this.streams.size === 0) return;
    for (const event of events) {
      const agentId = 'agentId' in event.payload ? event.payload.agentId : '';
      let frame: string | null = null;
      for (const stream of this.streams) {
        if (!stream.wants(event, agentId)) continue;
        frame ??= streamedFrame(event, agentId);
        stream.tell(frame);
      }
    }
  }
}
