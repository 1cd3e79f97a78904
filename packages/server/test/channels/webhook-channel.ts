import { instant } from '@holter/core';
import type { Channel, Delivery } from '../../src/channels/shared/channel.ts';
import type { OtherSide } from '../../src/channels/shared/contract.ts';
import { openStrict, type Received } from './strict-http.ts';

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
  /** The keys of all requests. */
  readonly requests: () => readonly string[];
}> {
  const { url, requests, other } = await openStrict(({ headers }) => ({ key: keyOf(headers) }));
  return {
    channel: webhookChannel(url),
    requests: () => requests.map(({ headers }) => keyOf(headers)),
    other,
  };
}

const keyOf = (headers: Received['headers']): string => String(headers['idempotency-key']);
