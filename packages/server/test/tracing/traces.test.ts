import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Traces } from '../../src/tracing/index.ts';
import { sha256, startHttp, type TestServer, testClock } from '../http/kit.ts';
import { until } from '../until.ts';
import { type OtlpReceiver, openReceiver } from './otlp-receiver.ts';

let receiver: OtlpReceiver;
let traces: Traces;
let server: TestServer;
let log: string[];

beforeEach(async () => {
  receiver = await openReceiver();
  log = [];
  const clock = testClock();
  const say = (_: unknown, text?: string): void => void log.push(text ?? String(_));
  const logger = { warn: say, info: say } as never;
  traces = new Traces({ clock, version: '1.2.3', sha256, newId: randomUUID, logger });
  server = await startHttp({ clock, traces });
  traces.follow(server.engine);
});
afterEach(async () => {
  await traces.close();
  await server.stop();
  await receiver.close();
});

const set = (heartbeatRatio: number, checkRatio = 0, url: string | null = receiver.url): Promise<void> =>
  traces.set({ url, serviceName: 'holter', heartbeatRatio, checkRatio });

/** Closing sends what waits. */
const exported = async (): Promise<OtlpReceiver['spans']> => {
  await traces.close();
  expect(receiver.wrong).toEqual([]);
  return receiver.spans;
};

const error = { kind: 'error', message: 'no disk, said ada', isUnrecoverable: true, incarnation: 1 };
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = (flags: string): Record<string, string> => ({
  traceparent: `00-${trace}-00f067aa0ba902b7-${flags}`,
});

describe('an intervention', () => {
  it('is one trace from the signal to the receipt, linked to the trace of the agent', async () => {
    await set(0);
    await server.operator.register({ agentId: 'ada', group: 'crew', instanceId: 'i' });
    const answer = await server.call('POST', '/v1/agents/ada/signals', {
      token: server.tokens.operator,
      body: error,
      headers: traceparent('00'),
    });
    expect(answer.status).toBe(200);
    const { incidents } = await server.operator.incidents();
    const incidentId = incidents[0]?.incidentId ?? '';
    await server.operator.noteShown([incidentId]);
    await until('the notice is delivered', async () => {
      const events = await server.store.readEvents({ after: 0, limit: 100, types: ['EFFECT_RECEIPT'] });
      return events.length > 0;
    });
    await server.operator.decide(incidentId, { decision: 'acknowledge', reason: 'a test' });
    await server.operator.signal('ada', { kind: 'stopped', reason: 'done', incarnation: 1 });
    await until('the incident is closed', async () => {
      await server.pass(1);
      return (await server.operator.agent('ada')).incident === null;
    });
    const spans = await exported();
    const root = spans.find(({ name }) => name === 'intervention');
    expect(root).toMatchObject({
      kind: 1,
      attributes: { 'holter.agent': 'ada', 'holter.group': 'crew', 'holter.incident': incidentId },
      links: [{ traceId: trace, spanId: '00f067aa0ba902b7' }],
      resource: { 'service.name': 'holter', 'service.version': '1.2.3' },
    });
    expect(root?.parentSpanId).toBeUndefined();
    const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect(below.every(({ traceId }) => traceId === root?.traceId)).toBe(true);
    expect(below.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['signal error', 'effect notify', 'decision']),
    );
    const signal = below.find(({ name }) => name === 'signal error');
    expect(signal?.events).toEqual(expect.arrayContaining(['HEALTH_STATE_CHANGED', 'INCIDENT_OPENED']));
    expect(signal?.startMs).toBeLessThanOrEqual(signal?.endMs ?? 0);
    expect(below.find(({ name }) => name === 'effect notify')?.attributes).toMatchObject({
      'holter.effect': 'notify',
      'holter.outcome': expect.any(String),
    });
    // Texts of agents and people stay here.
    expect(
      JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/said ada|a test/);
  });
});

describe('heartbeats and health checks', () => {
  it('are sampled, and a beat with a sampled traceparent is always in its trace', async () => {
    await set(0.1, 0.5);
    await server.operator.register({ agentId: 'ada', instanceId: 'i', promises: { beatEverySeconds: 10 } });
    const beat = (headers: Record<string, string> = {}) =>
      server.call('POST', '/v1/agents/ada/heartbeat', {
        token: server.tokens.operator,
        body: { incarnation: 1 },
        headers,
      });
    for (let i = 0; i < 20; i += 1) await beat();
    for (const flags of ['01', '00']) await beat(traceparent(flags));
    await beat({ traceparent: '00-zz' });
    const { length: checksBefore } = receiver.spans;
    expect(checksBefore).toBe(0);
    await server.pass(40);
    const spans = await exported();
    const beats = spans.filter(({ name }) => name === 'POST /v1/agents/:id/heartbeat');
    expect(beats).toHaveLength(2 + 1);
    expect(beats.filter(({ traceId }) => traceId === trace)).toMatchObject([
      {
        kind: 2,
        parentSpanId: '00f067aa0ba902b7',
        attributes: { 'holter.agent': 'ada', 'http.response.status_code': 200 },
      },
    ]);
    const checks = spans.filter(({ name }) => name === 'health check');
    expect(checks.length).toBeGreaterThan(0);
    expect(checks[0]?.attributes).toMatchObject({
      'holter.agent': 'ada',
      'holter.state': expect.any(String),
    });
  });
});

describe('an endpoint that is down', () => {
  it('changes nothing but one warning, and is used again when it is back', async () => {
    receiver.answer = 400;
    await set(1);
    await server.operator.register({ agentId: 'ada', instanceId: 'i' });
    const beat = async (): Promise<void> => {
      expect((await server.operator.heartbeat('ada', { incarnation: 1 })).ok).toBe(true);
    };
    await beat();
    await until('it is asked', () => receiver.requests > 0);
    await beat();
    await until('it is asked again', () => receiver.requests > 1);
    await until('a warning', () => log.length > 0);
    receiver.answer = 200;
    await beat();
    await until('it is taken', () => receiver.spans.length > 0);
    await until('that is said', () => log.length > 1);
    expect(log).toEqual([
      'traces are not taken; what does not fit into the queue is lost',
      'traces are taken again',
    ]);
  });

  it('keeps a bounded number of spans', async () => {
    await set(1);
    const call = { route: 'beat', agentId: 'ada', cid: 'c', status: 200, tookMs: 1 };
    // Nothing can be sent before this loop ends.
    for (let i = 0; i < 10_000; i += 1) traces.answered(call, undefined);
    const spans = await exported();
    expect(spans.length).toBeGreaterThan(0);
    // The queue, and the batch that is being sent.
    expect(spans.length).toBeLessThanOrEqual(2_048 + 512);
  });
});

it('loads the SDK only where there is an endpoint', async () => {
  await set(1, 1, null);
  expect(traces.isOn).toBe(false);
  const code = `
    const { createRequire } = await import('node:module');
    await import('@holter/server');
    const loaded = Object.keys(createRequire(process.cwd() + '/x.js').cache);
    console.log(loaded.filter((file) => /opentelemetry.(sdk|exporter|otlp|resources)/.test(file)).length);`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' });
  expect(said.trim()).toBe('0');
});
