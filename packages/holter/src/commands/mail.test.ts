import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { registerMail } from './mail.ts';

const TOTAL = 1_003;
const PAGE = 1_000;

let server: Server;
/** A box with more letters than one answer has. */
beforeEach(async () => {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const newest = Number(searchParams.get('before')?.slice(1) ?? TOTAL + 1) - 1;
    const limit = Number(searchParams.get('limit') ?? 25);
    const messages = Array.from({ length: Math.min(newest, limit || PAGE) }, (_, n) => ({
      id: `m${newest - n}`,
    }));
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ messages, limit, count: TOTAL }));
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterEach(() => new Promise((closed) => void server.close(closed)));

async function mail(...args: readonly string[]): Promise<string> {
  const { port } = server.address() as AddressInfo;
  let out = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: () => undefined,
    env: { HOLTER_URL: `http://127.0.0.1:${port}`, HOLTER_TOKEN: 'hlt_operator' },
    workingDirectory: '/',
    width: Number.POSITIVE_INFINITY,
  } as unknown as Io;
  const program = new Command();
  registerMail(program, io);
  await program.parseAsync(['mail', ...args], { from: 'user' });
  return out;
}

it('lists all letters of a box, also those that one answer does not hold', async () => {
  const letters = JSON.parse(await mail('list', '--all', '--json')) as { id: string }[];
  expect(new Set(letters.map(({ id }) => id)).size).toBe(TOTAL);
});

it('counts all unread letters', async () => {
  expect(await mail('check')).toBe(`${TOTAL} unread letters: holter mail list --unread\n`);
});
