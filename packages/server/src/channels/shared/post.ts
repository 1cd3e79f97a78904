import { type Instant, instant } from '@holter/core';
import { redact } from '../../redaction/index.ts';
import type { Delivery, DeliveryContext } from './channel.ts';

type Outgoing = { readonly headers?: Readonly<Record<string, string>>; readonly body: unknown };

/** Enough to recognise an error page by. */
const SHOWN_LENGTH = 200;
const READ_BYTES_MAX = 2_000;

/**
 * Posts JSON. Redirects are not followed: the operator allowed one address, not what it points to. Of an answer only
 * the beginning is ever read.
 */
export async function postJson(
  url: string,
  { headers, body }: Outgoing,
  { now, signal }: DeliveryContext,
): Promise<Delivery> {
  const response = await send(url, { headers: headers ?? {}, body: JSON.stringify(body), signal });
  if ('kind' in response) return response;
  const { status } = response;
  if (response.ok) {
    await response.body?.cancel();
    return { kind: 'posted', detail: `answered ${status}` };
  }
  const detail = `it answered ${status}${await beginningOf(response)}`;
  if (status >= 300 && status < 400)
    return { kind: 'refused', detail: `${detail}: redirects are not followed` };
  if (status !== 408 && status !== 425 && status !== 429 && status < 500) return { kind: 'refused', detail };
  const retryAt = retryAtOf(response.headers.get('retry-after'), now);
  return { kind: 'failed', detail, ...(retryAt !== null && { retryAt }) };
}

async function send(
  url: string,
  { headers, body, signal }: { headers: Readonly<Record<string, string>>; body: string; signal: AbortSignal },
): Promise<Response | Delivery> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'holter', ...headers },
      body,
      signal,
      redirect: 'manual',
    });
  } catch (error) {
    // The address may be a secret, and is part of some messages; the cause has the reason without it.
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection';
    return { kind: 'failed', detail: `it can't be reached (${code})` };
  }
}

async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  let text = '';
  const decoder = new TextDecoder();
  try {
    for (let read = 0; read < READ_BYTES_MAX; ) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // An answer that breaks off has said what it has said.
  }
  await reader.cancel().catch(() => undefined);
  const shown = beginningOfText(text);
  return shown === '' ? '' : ` (${shown})`;
}

/** What somebody else said, fit for a log: one line, bounded, without secrets. */
export const beginningOfText = (text: string): string =>
  redact(text.slice(0, READ_BYTES_MAX))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, SHOWN_LENGTH);

/** Seconds or a date. */
function retryAtOf(header: string | null, now: Instant): Instant | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds) && seconds >= 0) return instant(now + seconds * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : instant(at);
}
