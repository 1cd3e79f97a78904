import type { HolterEvent } from '@holter/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKept } from '../store/facts.ts';
import type { HttpDeps, HttpLimits } from './deps.ts';
import { EventStream, type StreamFilter, streamedFrame } from './event-stream.ts';
import type { StreamPlaces } from './stream-places.ts';
import type { Caller } from './tokens.ts';

type Wanted = { readonly filter: StreamFilter; readonly after: number };

/** All listeners of the event stream, and the engine's news for them. */
export class EventStreams {
  private readonly deps: HttpDeps;
  private readonly limits: HttpLimits;
  private readonly streams = new Set<EventStream>();
  private readonly places: StreamPlaces;
  private readonly stops: readonly (() => void)[];

  constructor(deps: HttpDeps, limits: HttpLimits, places: StreamPlaces) {
    this.deps = deps;
    this.limits = limits;
    this.places = places;
    this.stops = [
      deps.engine.onFollowed(({ events }) => {
        if (this.streams.size === 0) return;
        if (events.some(isKept)) for (const stream of this.streams) stream.hint();
        this.tell(events.filter(({ type }) => type === 'AGENT_HEARTBEAT'));
      }),
      deps.engine.onStreamed((events) => this.tell(events)),
    ];
  }

  /** Throws when there is no place for another. */
  open(request: FastifyRequest, caller: Caller, reply: FastifyReply, wanted: Wanted): void {
    const out = reply.raw;
    const leave = this.places.take(request, caller, out, (why) => stream.close(why));
    const stream: EventStream = new EventStream(out, wanted.filter, wanted.after, {
      store: this.deps.store,
      clock: this.deps.clock,
      bytesMax: this.limits.streamBytesMax,
      onClose: () => {
        leave();
        this.streams.delete(stream);
      },
    });
    this.streams.add(stream);
    reply.hijack();
    stream.start();
  }

  close(): void {
    for (const stop of this.stops) stop();
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
