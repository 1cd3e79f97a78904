import { expect, it } from 'vitest';
import { traceSettings } from './settings.ts';
import { readTraceparent, Sampler } from './span.ts';

const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

it.each<[string, string | undefined, boolean | null]>([
  ['sampled', `00-${trace}-${span}-01`, true],
  ['not sampled', `00-${trace}-${span}-02`, false],
  ['of a later version', `01-${trace}-${span}-01-more`, true],
  ['of version ff', `ff-${trace}-${span}-01`, null],
  ['in capitals', `00-${trace.toUpperCase()}-${span}-01`, null],
  ['of zeros', `00-${'0'.repeat(32)}-${span}-01`, null],
  ['without a span', `00-${trace}-${'0'.repeat(16)}-01`, null],
  ['too short', `00-${trace}-${span}`, null],
  ['absent', undefined, null],
])('a traceparent that is %s', (_, header, isSampled) => {
  expect(readTraceparent(header)).toEqual(
    isSampled === null ? null : { traceId: trace, spanId: span, isSampled },
  );
});

it('samples the share that is wanted', () => {
  for (const ratio of [0, 0.25, 1]) {
    const sampler = new Sampler();
    expect(Array.from({ length: 100 }, () => sampler.take(ratio)).filter(Boolean)).toHaveLength(100 * ratio);
  }
});

const tracing = { endpoint: null, heartbeatRatio: 0.01, checkRatio: 0.01 };

it.each<[string, Record<string, string>, string | null]>([
  ['nothing', {}, null],
  ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' }, 'http://otel:4318/v1/traces'],
  [
    'an endpoint for traces',
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel/x', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' },
    'https://otel/x',
  ],
  ['no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4318' }, null],
  ['that it is off', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel', OTEL_SDK_DISABLED: 'TRUE' }, null],
])('the environment says %s', (_, env, url) => {
  expect(traceSettings(tracing, env).url).toBe(url);
});

it('prefers the endpoint of holter.yaml', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SERVICE_NAME: 'night' };
  expect(traceSettings({ ...tracing, endpoint: 'https://b/otlp' }, env)).toMatchObject({
    url: 'https://b/otlp/v1/traces',
    serviceName: 'night',
  });
});
