import type { HrTime } from '@opentelemetry/api';
import type { BatchSpanProcessor, ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logging/logger.ts';
import type { Span, SpanPlace } from './span.ts';

export type SpanSink = {
  readonly add: (span: Span) => void;
  /** Sends what waits, if that does not take long. */
  readonly close: () => Promise<void>;
};

type SinkOptions = {
  /** The whole address, `…/v1/traces`. */
  readonly url: string;
  readonly version: string;
  readonly serviceName: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
};

/** Spans beyond this many that wait for the endpoint are lost. */
const QUEUE_MAX = 2_048;
const BATCH_MAX = 512;
const EVERY_MS = 1_000;
const ANSWER_MS_MAX = 10_000;

/** Sends spans by OTLP over HTTP, as protobuf. The SDK is loaded here, so a server without an endpoint never has it. */
export async function openOtlp({ url, version, serviceName, logger }: SinkOptions): Promise<SpanSink> {
  const [{ SpanKind, SpanStatusCode, TraceFlags }, trace, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new otlp.OTLPTraceExporter({ url, timeoutMillis: ANSWER_MS_MAX });
  let isFailing = false;
  const processor: BatchSpanProcessor = new trace.BatchSpanProcessor({
    exporter: {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          // 0 is success.
          const hasFailed = result.code !== 0;
          if (hasFailed && !isFailing)
            logger.warn(
              { reason: result.error?.message ?? 'no reason is known' },
              'traces are not taken; what does not fit into the queue is lost',
            );
          if (!hasFailed && isFailing) logger.info('traces are taken again');
          isFailing = hasFailed;
          done(result);
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: ANSWER_MS_MAX,
  });
  const resource = resources.resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
  });
  const contextOf = ({ traceId, spanId }: SpanPlace) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const readable = (span: Span): ReadableSpan => ({
    name: span.name,
    kind: span.isServer ? SpanKind.SERVER : SpanKind.INTERNAL,
    spanContext: () => contextOf(span),
    ...(span.parentId !== null && {
      parentSpanContext: contextOf({ traceId: span.traceId, spanId: span.parentId }),
    }),
    startTime: hrTime(span.begunAt),
    endTime: hrTime(Math.max(span.begunAt, span.endedAt)),
    duration: hrTime(Math.max(0, span.endedAt - span.begunAt)),
    status:
      span.error === null
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: span.error },
    attributes: { ...span.attributes },
    links: span.links.map((place) => ({ context: contextOf(place) })),
    events: span.events.map(({ name, at, attributes }) => ({
      name,
      time: hrTime(at),
      attributes: { ...attributes },
    })),
    ended: true,
    resource,
    instrumentationScope: { name: 'holter', version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
  return {
    add: (span) => processor.onEnd(readable(span)),
    close: () => processor.shutdown(),
  };
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
