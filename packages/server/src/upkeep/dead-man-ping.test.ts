import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { milliseconds, minutes } from '@holter/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { until } from '../../test/until.ts';
import { DeadManPing } from './dead-man-ping.ts';
import type { Trouble } from './troubles.ts';

let outside: Server;
let url: string;
let heard: string[];
let status: number | null;
let troubles: Pick<Trouble, 'kind' | 'says'>[];
let clock: ManualClock;
let log: string[];
let ping: DeadManPing;

beforeEach(async () => {
  [heard, troubles, log, status] = [[], [], [], 200];
  outside = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    heard.push(`${request.method} ${request.url} ${body}`.trim());
    if (status !== null) response.writeHead(status, { location: '/elsewhere' }).end('a long answer');
  }).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/ping/secret-id`;
  clock = new ManualClock();
  const say = (_: unknown, text?: string): void => void log.push(text ?? String(_));
  ping = new DeadManPing({ clock, troubles: () => troubles, logger: { warn: say, info: say } as never });
});
afterEach(async () => {
  ping.stop();
  outside.closeAllConnections();
  outside.close();
  await once(outside, 'close');
});

const isNoted = (failures: number): Promise<unknown> =>
  until(
    `${failures} failures`,
    () => ping.state?.triedAt === clock.now() && ping.state.failures === failures,
  );

it('pings at once and then every minute while Holter is well', async () => {
  expect(ping.state).toBeNull();
  ping.set({ url, everyMs: minutes(1) });
  await isNoted(0);
  await clock.advance(minutes(1));
  await isNoted(0);
  expect(heard).toEqual(['GET /ping/secret-id', 'GET /ping/secret-id']);
  expect(ping.state).toMatchObject({ okAt: clock.now(), failure: null });
});

it('reports a failure with its reasons while Holter is unwell', async () => {
  troubles = [
    { kind: 'store', says: "Holter can't write to its store" },
    { kind: 'ping', says: 'The outside ping fails' },
    { kind: 'grace', says: 'and more' },
  ];
  ping.set({ url: `${url}?rid=1`, everyMs: minutes(1) });
  await isNoted(0);
  expect(heard).toEqual(["POST /ping/secret-id/fail?rid=1 Holter can't write to its store\nand more"]);
});

it('does not report that pings failed once they arrive again', async () => {
  troubles = [{ kind: 'ping', says: 'The outside ping fails' }];
  ping.set({ url, everyMs: minutes(1) });
  await isNoted(0);
  expect(heard).toEqual(['GET /ping/secret-id']);
});

it('warns once about pings that fail, follows no redirect, and says when it works again', async () => {
  status = 302;
  ping.set({ url, everyMs: minutes(1) });
  await isNoted(1);
  expect(ping.state?.failure).toBe('it answered 302');
  status = 500;
  await clock.advance(minutes(1));
  await isNoted(2);
  expect(heard).toHaveLength(2);
  status = 200;
  await clock.advance(minutes(1));
  await isNoted(0);
  expect(log).toEqual(['the outside ping failed; it is tried again', 'the outside ping works again']);
  expect(JSON.stringify(ping.state)).not.toContain('secret-id');
});

it('gives up on an answer after 10 s', async () => {
  status = null;
  ping.set({ url, everyMs: minutes(1) });
  await until('it is asked', () => heard.length === 1);
  await clock.advance(10_000);
  await isNoted(1);
  expect(ping.state?.failure).toBe('it did not answer in 10 s');
});

it('goes to the new address after a reload, and nowhere without one', async () => {
  ping.set({ url, everyMs: minutes(1) });
  await isNoted(0);
  ping.set({ url: `${url}-2`, everyMs: milliseconds(5_000) });
  await until('the new one is asked', () => heard.length === 2);
  await isNoted(0);
  ping.set(null);
  await clock.advance(minutes(5));
  expect(heard).toEqual(['GET /ping/secret-id', 'GET /ping/secret-id-2']);
});
