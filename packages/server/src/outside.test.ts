import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instant } from '@holter/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../test/manual-clock.ts';
import { loadConfig } from './config/index.ts';
import { Outside } from './outside.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

let receiver: Server;
let heard: string[];
let url: string;
beforeEach(async () => {
  heard = [];
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    heard.push(`${request.method} ${request.url} ${body}`);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await once(receiver, 'close');
});

function outsideOf(yaml: string): Outside {
  const loaded = loadConfig('/etc/holter.yaml', () => yaml);
  if (loaded.kind === 'invalid') throw new Error(loaded.problems.map(({ message }) => message).join());
  const host = { env: {}, platform: 'linux', terminal: '/dev/null' };
  return new Outside(loaded.config, host, new ManualClock());
}

const notice = {
  alertId: 'alert/chain-server',
  action: 'trigger',
  summary: `server: it says ${SECRET}`,
  since: instant(0),
} as const;

it("uses the operator's channels for trouble of Holter, and keeps secrets back", async () => {
  const outside = outsideOf(`
channels:
  ops: { type: webhook, url: '${url}/hook' }
  crew: { type: webhook, url: '${url}/crew' }
health_monitoring:
  alerting:
    holter_unwell: { channels: [ops] }
`);
  expect([outside.channels, outside.hasPing]).toEqual([['ops'], false]);
  expect(await outside.send('ops', notice)).toMatchObject({ kind: 'posted' });
  expect(await outside.send('crew', notice)).toMatchObject({ kind: 'refused' });
  expect(await outside.pingFailure('server: down')).toBeNull();
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatch(/^POST \/hook .*server: it says/);
  expect(heard[0]).not.toContain(SECRET);
});

it('tells the one who is pinged what is wrong, without secrets', async () => {
  const outside = outsideOf(`dead_man_ping: { url: '${url}/ping/id' }`);
  expect([outside.channels, outside.hasPing]).toEqual([[], true]);
  expect(await outside.pingFailure(`server: crash loop ${SECRET}`)).toBeNull();
  expect(heard).toEqual([expect.stringMatching(/^POST \/ping\/id\/fail server: crash loop/)]);
  expect(heard[0]).not.toContain(SECRET);
});
