import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  createLogger,
  DataFolder,
  loadConfig,
  type RunningServer,
  startServer,
} from '@holter/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, run } from './kit.ts';

/** What each program does without Holter. */
const WAYS = {
  loop: { code: 0, says: ['call 1', 'call 2', 'call 3', 'call 4', 'done'] },
  promise: { code: 0, says: ['call 1', 'call 2', 'call 3', 'call 4', 'done'] },
  'without-close': { code: 0, says: ['call 1', 'call 2', 'call 3', 'call 4', 'done'] },
  exit: { code: 7, says: [] },
  uncaught: { code: 1, says: ['boom'] },
  worker: { code: 0, says: ['call 1', 'call 2', 'call 3', 'call 4', 'done', 'worker ended with 0'] },
  short: { code: 0, says: ['done'] },
} as const;
type Way = keyof typeof WAYS;

const SERVERS = ['up', 'refused', 'black-holed', 'slow', 'killed'] as const;
const SLOW_MS = 400;
const KILLED_AFTER_MS = 250;

const dataFolder = mkdtempSync(join(tmpdir(), 'holter-host-'));
const listeners: Server[] = [];
let holter: RunningServer;
let token: string;
let urls: Readonly<Record<(typeof SERVERS)[number], () => Promise<string>>>;

beforeAll(async () => {
  const loaded = loadConfig(null);
  if (loaded.kind !== 'loaded') throw new Error('the defaults do not load');
  const logger = createLogger({ write: () => undefined, isPretty: false });
  holter = await startServer({ dataFolder, config: loaded.config, version: '0.0.0', logger, port: 0 });
  token = new DataFolder(dataFolder).readToken('enroll') ?? '';
  const slow = await listenWith((socket) => pass(socket, SLOW_MS));
  const blackHole = await listenWith(() => undefined);
  urls = {
    up: async () => holter.url,
    refused: async () => closedPort(),
    'black-holed': async () => blackHole,
    slow: async () => slow,
    killed: () => killedSoon(),
  };
});
afterAll(async () => {
  for (const listener of listeners) listener.close();
  await holter.stop();
  rmSync(dataFolder, { recursive: true });
});

describe.concurrent('a program behaves the same with any server', { timeout: 60_000 }, () => {
  for (const way of Object.keys(WAYS) as Way[])
    for (const server of SERVERS)
      it(`${way}, server ${server}`, async () => {
        const agentId = `${way}-${server}`;
        const { lines, ended } = run(fixture('host.mjs'), [way, await urls[server](), token, agentId]);
        const { code } = await ended;
        const said = lines.map(({ text }) => text);
        if (way === 'uncaught') expect(said.join('\n')).toContain('Error: boom');
        else expect(said).toEqual(WAYS[way].says);
        expect(code).toBe(WAYS[way].code);
        if (server === 'up' || server === 'slow') await checkRecord(way, agentId);
      });
});

/** One registration, and the end that the program told: nothing registers again after `close`. */
async function checkRecord(way: Way, agentId: string): Promise<void> {
  const operator = createClient({
    url: holter.url,
    token: new DataFolder(dataFolder).readToken('operator') ?? '',
  });
  const agent = await operator.agent(agentId);
  expect(agent.incarnation).toBe(1);
  const isClosed = way !== 'without-close' && way !== 'exit' && way !== 'uncaught';
  expect(agent.end?.how).toBe(isClosed ? 'stopped' : undefined);
  if (way === 'loop' || way === 'promise') expect(agent.findings).toEqual([]);
}

async function listenWith(serve: (socket: Socket) => void): Promise<string> {
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  listener.listen(0, '127.0.0.1');
  listener.unref();
  listeners.push(listener);
  await once(listener, 'listening');
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

async function closedPort(): Promise<string> {
  const url = await listenWith(() => undefined);
  const listener = listeners.pop();
  listener?.close();
  return url;
}

/** Passes bytes on to the real server, the answers late. */
function pass(socket: Socket, delayMs: number): void {
  const upstream = connectTo(Number(new URL(holter.url).port), '127.0.0.1');
  upstream.on('error', () => socket.destroy());
  socket.pipe(upstream);
  upstream.on('data', (bytes: Buffer) => setTimeout(() => socket.write(bytes), delayMs));
  upstream.on('end', () => socket.end());
}

/** A server that dies soon after the first connection, with all its connections. */
async function killedSoon(): Promise<string> {
  const open = new Set<Socket>();
  const url = await listenWith((socket) => {
    if (open.size === 0) setTimeout(kill, KILLED_AFTER_MS);
    open.add(socket);
    pass(socket, 0);
  });
  const listener = listeners.at(-1);
  const kill = (): void => {
    listener?.close();
    for (const socket of open) socket.destroy();
  };
  return url;
}
