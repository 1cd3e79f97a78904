import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@holter/server/local';
import { afterAll, expect, it } from 'vitest';
import { openStrict } from '../packages/server/test/channels/strict-http.ts';
import { until } from '../packages/server/test/until.ts';
import { type HolterProcess, startHolter } from './holter-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-alert-'));
let server: HolterProcess | null = null;
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('a server that is killed while it sends an alert sends it once more, with the same key', async () => {
  const ops = await openStrict(({ headers }) => ({ key: String(headers['x-holter-key']) }));
  writeFileSync(
    join(folder, 'policy.yaml'),
    `public_url: https://holter.example.org
channels: { ops: { type: webhook, url: "${ops.url}" } }
health_monitoring: { alerting: { waiting_for_person: { after: 1s } } }
`,
  );
  const start = async () => {
    server = await startHolter(folder, ['--port', '0', '--config', join(folder, 'policy.yaml')]);
    return createClient({ url: server.url, token: server.token('operator') });
  };
  const before = await start();
  ops.other.answer(() => process.kill(server?.pid ?? 0, 'SIGKILL'));
  await before.register({ agentId: 'ada', instanceId: 'i', promises: {} });
  await before.signal('ada', { kind: 'hold-begun', hold: 'waiting-for-permission', incarnation: 1 });
  await until('it is sent, and the server is dead', () => ops.requests.length === 1, 30_000);
  expect(await server?.end('SIGKILL')).toBeNull();

  ops.other.answer('takes it');
  const after = await start();
  await until(
    'it is recorded',
    async () => (await after.alerts()).channels.some(({ lastPostedAt }) => lastPostedAt !== null),
    60_000,
  );
  const [first, second, ...others] = ops.requests;
  expect(others).toEqual([]);
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers['x-holter-key']).toBe(first?.headers['x-holter-key']);
  expect(second?.body).toMatchObject({ action: 'trigger', topic: 'waiting_for_person', agents: ['ada'] });
  await ops.other.close();
});
