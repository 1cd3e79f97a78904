import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { exchange } from './http.ts';

it('long polls do not take the places of other requests', async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/poll') waiting.push(response);
    else response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = {
    method: 'POST',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: null,
    timeoutMs: 20_000,
  } as const;
  const polls = Array.from({ length: 200 }, () => exchange({ ...request, path: '/poll', isLongPoll: true }));
  expect(await exchange({ ...request, path: '/' })).toMatchObject({ kind: 'reply', status: 200 });
  await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(polls.length);
  for (const response of waiting) response.end('{}');
  for (const reply of await Promise.all(polls)) expect(reply).toMatchObject({ status: 200 });
  server.close();
  server.closeAllConnections();
});
