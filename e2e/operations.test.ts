import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@holter/server';
import { afterAll, expect, it, vi } from 'vitest';
import { openReceiver } from '../packages/server/test/tracing/otlp-receiver.ts';
import { until } from '../packages/server/test/until.ts';
import { type HolterProcess, startHolter } from './holter-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const folder = mkdtempSync(join(tmpdir(), 'holter-operations-'));
const pings: string[] = [];
const outside = createServer((request, response) => {
  pings.push(`${request.method} ${request.url}`);
  response.end();
}).listen(0, '127.0.0.1');
let holter: HolterProcess | null = null;

afterAll(async () => {
  await holter?.end('SIGTERM');
  outside.closeAllConnections();
  outside.close();
  rmSync(folder, { recursive: true, force: true });
});

type Line = Readonly<Record<string, unknown>>;
const logged = (): readonly Line[] =>
  readFileSync(join(folder, 'data', 'server.log'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

it('a server pings outside, sends traces, and logs one id from the signal to the effect', async () => {
  const receiver = await openReceiver();
  await until('the outside listens', () => outside.listening);
  const { port } = outside.address() as AddressInfo;
  const config = join(folder, 'holter.yaml');
  const ping = `dead_man_ping: { url: "http://127.0.0.1:${port}/ping/x", every: 5s }\n`;
  const endpoint = receiver.url.replace('/v1/traces', '');
  writeFileSync(config, `${ping}tracing: { endpoint: "${endpoint}", heartbeat_ratio: 0 }\n`);
  holter = await startHolter(folder, ['--port', '0', '--config', config]);
  const client = createClient({ url: holter.url, token: holter.token('operator') });
  await until('a ping', () => pings.includes('GET /ping/x'));
  expect((await client.system()).deadManPing).toMatchObject({ everyMs: 5_000, failures: 0 });

  await client.register({ agentId: 'ada', instanceId: 'i' });
  await client.signal('ada', { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 });
  const span = await until('the span of the signal', () =>
    receiver.spans.find(({ name }) => name === 'signal error'),
  );
  expect(receiver.wrong).toEqual([]);
  const { 'holter.cid': cid } = span.attributes;
  const story = logged().filter((line) => line.cid === cid);
  expect(story.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(['signal error', 'HEALTH_STATE_CHANGED', 'INCIDENT_OPENED', 'effect notify']),
  );

  // Read again without either: both end, and the server goes on.
  writeFileSync(config, '');
  process.kill(holter.pid, 'SIGHUP');
  await until('the ping is off', async () => (await client.system()).deadManPing === null);
  await receiver.close();
  expect((await client.health()).troubles).toEqual([]);
  expect(await holter.end('SIGTERM')).toBe(0);
});
