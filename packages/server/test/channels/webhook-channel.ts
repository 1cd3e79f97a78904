import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instant } from '@holter/core';
import type { Channel, Delivery } from '../../src/channels/shared/channel.ts';
import type { Answering, OtherSide } from '../../src/channels/shared/contract.ts';

/** As small as a channel that sends can be; what a newcomer would write. */
export const webhookChannel = (url: string): Channel => ({
  name: 'webhook',
  deliver: async ({ key, message, severity }, { now, signal }): Promise<Delivery> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ message, severity }),
      signal,
    });
    const { status, headers } = response;
    if (response.ok) return { kind: 'posted', detail: `answered ${status}` };
    const detail = `it answered ${status}`;
    if (status < 500 && status !== 429) return { kind: 'refused', detail };
    const seconds = Number(headers.get('retry-after') ?? 0);
    return { kind: 'failed', detail, retryAt: instant(now + seconds * 1_000) };
  },
});

/** A real server at the other end, which tells repeats apart by their key. */
export async function openWebhook(): Promise<{
  readonly channel: Channel;
  readonly other: OtherSide;
  readonly requests: readonly string[];
}> {
  let answering: Answering = 'takes it';
  const requests: string[] = [];
  const arrived = new Set<string>();
  const silent = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    requests.push(key);
    request.resume();
    if (answering === 'is silent') {
      silent.add(response);
      return;
    }
    const status = { 'takes it': 200, 'asks to wait': 429, fails: 500, refuses: 400 }[answering];
    if (status === 200) arrived.add(key);
    response.writeHead(status, status === 429 ? { 'retry-after': '30' } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    channel: webhookChannel(`http://127.0.0.1:${port}/`),
    requests,
    other: {
      answer: (how) => {
        answering = how;
      },
      arrived: () => [...arrived],
      close: () =>
        new Promise((resolve) => {
          for (const response of silent) response.destroy();
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    },
  };
}
