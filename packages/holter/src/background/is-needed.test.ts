import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '@holter/server/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isWanted } from './is-needed.ts';

const ended = { end: { how: 'crash' }, incident: null };
let pages: readonly (readonly object[])[] = [];
let status = 200;
const server = createServer(({ url = '' }, reply) => {
  const page = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
  const nextCursor = page + 1 < pages.length ? String(page + 1) : null;
  reply.writeHead(status, { 'content-type': 'application/json' });
  reply.end(JSON.stringify({ agents: pages[page] ?? [], nextCursor }));
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'holter-needed-')));
afterAll(() => {
  server.close();
  rmSync(folder.path, { recursive: true });
});
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test.each<[string, boolean, readonly (readonly object[])[], number?]>([
  ['no agents', false, [[]]],
  ['agents that have ended', false, [[ended], [ended]]],
  ['one that runs, on the second page', true, [[ended], [ended, { end: null, incident: null }]]],
  ['one that has ended and is restarted', true, [[{ ...ended, incident: { step: 'recover' } }]]],
  ['one that has ended, about which a person decides', true, [[{ ...ended, incident: { step: 'human' } }]]],
  ['an answer that says nothing', true, [[]], 503],
])('a server with %s: needed is %s', async (_what, expected, agents, answer = 200) => {
  pages = agents;
  status = answer;
  expect(await isWanted(folder, url())).toBe(expected);
});

test('a server that somebody has asked to stay is wanted, and no other one', async () => {
  [pages, status] = [[[]], 200];
  folder.askToStay(process.pid + 1);
  expect(await isWanted(folder, url())).toBe(false);
  folder.askToStay(process.pid);
  expect(await isWanted(folder, url())).toBe(true);
  folder.forgetStay(process.pid);
  expect(await isWanted(folder, url())).toBe(false);
});
