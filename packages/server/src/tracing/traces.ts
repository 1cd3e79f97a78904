import type { Instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { HealthCheck } from '../engine/engine-options.ts';
import type { Logger } from '../logging/logger.ts';
import { Interventions } from './interventions.ts';
import { openOtlp, type SpanSink } from './otlp.ts';
import { emptySpan, readTraceparent, Sampler, type Span, type SpanPlace } from './span.ts';

export type TraceSettings = {
  /** `…/v1/traces`; null: nothing is traced, and nothing is loaded. */
  readonly url: string | null;
  readonly serviceName: string;
  /** Shares of the heartbeats and health checks that are traced; what intervenes always is. */
  readonly heartbeatRatio: number;
  readonly checkRatio: number;
};

type TracesContext = {
  readonly clock: Clock;
  readonly version: string;
  readonly sha256: (text: string) => string;
  readonly newId: () => string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
};

/** One call of an agent, as it was answered. */
type AnsweredCall = {
  readonly route: string;
  readonly agentId: string;
  readonly cid: string;
  readonly status: number;
  readonly tookMs: number;
};

/** Agents whose own traces are remembered, to link to them. */
const PLACES_MAX = 10_000;
const CLOSE_MS_MAX = 2_000;

/** Traces of heartbeats, health checks and interventions. Spans are made from what has happened; nothing waits for them. */
export class Traces {
  private readonly context: TracesContext;
  private readonly interventions: Interventions;
  private readonly places = new Map<string, SpanPlace>();
  private readonly heartbeats = new Sampler();
  private readonly checks = new Sampler();
  private settings: TraceSettings | null = null;
  private sink: SpanSink | null = null;
  private changing: Promise<void> = Promise.resolve();

  constructor(context: TracesContext) {
    this.context = context;
    this.interventions = new Interventions({
      sha256: context.sha256,
      newSpanId: () => this.newSpanId(),
      traceOf: (agentId) => this.places.get(agentId) ?? null,
    });
  }

  /** Begins, changes or ends it. */
  set(settings: TraceSettings): Promise<void> {
    const next = this.changing.then(() => this.change(settings));
    this.changing = next.catch((error: unknown) => {
      this.context.logger.warn({ err: error }, "traces can't be sent");
    });
    return this.changing;
  }

  async close(): Promise<void> {
    await this.changing;
    await this.closeSink();
  }

  get isOn(): boolean {
    return this.sink !== null;
  }

  follow(engine: Pick<Engine, 'onCommitted'>): () => void {
    return engine.onCommitted((own) => {
      if (!this.sink) return;
      for (const span of this.interventions.spansOf(own, this.context.clock.now())) this.sink.add(span);
    });
  }

  /** A call begins: what it says about the agent's own trace is known before anything follows from it. */
  heard(agentId: string, header: string | readonly string[] | undefined): void {
    if (!this.sink || header === undefined) return;
    const place = readTraceparent(header);
    if (!place) return;
    this.places.delete(agentId);
    this.places.set(agentId, place);
    const oldest = this.places.keys().next();
    if (this.places.size > PLACES_MAX && !oldest.done) this.places.delete(oldest.value);
  }

  /** A call whose own trace is exported is always in it. */
  answered(call: AnsweredCall, header: string | readonly string[] | undefined): void {
    if (!this.sink || !this.settings) return;
    const { route, agentId, cid, status, tookMs } = call;
    const parent = header === undefined ? null : readTraceparent(header);
    if (!(parent?.isSampled ?? this.heartbeats.take(this.settings.heartbeatRatio))) return;
    const endedAt = this.context.clock.now();
    this.sink.add({
      ...this.placeBelow(parent),
      name: route,
      isServer: true,
      begunAt: (endedAt - Math.max(0, tookMs)) as Instant,
      endedAt,
      attributes: {
        'holter.agent': agentId,
        'holter.cid': cid,
        'http.response.status_code': status,
      },
      error: status >= 500 ? String(status) : null,
    });
  }

  checked({ agentId, begunAt, endedAt, state }: HealthCheck): void {
    if (!this.sink || !this.settings || !this.checks.take(this.settings.checkRatio)) return;
    this.sink.add({
      ...this.placeBelow(null),
      name: 'health check',
      begunAt,
      endedAt,
      attributes: { 'holter.agent': agentId, ...(state !== null && { 'holter.state': state }) },
    });
  }

  private async change(settings: TraceSettings): Promise<void> {
    const { url, serviceName } = settings;
    const isSame = url === this.settings?.url && serviceName === this.settings.serviceName;
    this.settings = settings;
    if (isSame) return;
    await this.closeSink();
    const { version, logger } = this.context;
    if (url !== null) this.sink = await openOtlp({ url, version, serviceName, logger });
  }

  private async closeSink(): Promise<void> {
    const { sink } = this;
    this.sink = null;
    if (!sink) return;
    await new Promise<void>((resolve) => {
      const cancel = this.context.clock.after(CLOSE_MS_MAX, resolve);
      void sink
        .close()
        .catch(() => undefined)
        .then(() => {
          cancel();
          resolve();
        });
    });
  }

  private placeBelow(parent: SpanPlace | null): Omit<Span, 'name' | 'begunAt' | 'endedAt'> {
    const traceId = parent?.traceId ?? this.context.newId().replaceAll('-', '');
    return { ...emptySpan, traceId, spanId: this.newSpanId(), parentId: parent?.spanId ?? null };
  }

  private newSpanId(): string {
    return this.context.newId().replaceAll('-', '').slice(0, 16);
  }
}
