import { exchange } from '@holter/agent/transport';

export type Reply = { readonly status: number; readonly body: unknown; readonly retryAfter: number | null };

/** There was no answer, or not in time. An error status of the server is a `Reply`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export type Target = { readonly url: string; readonly token: string | null };

export async function call(
  { url, token }: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  timeoutMs = 10_000,
  isLongPoll = false,
): Promise<Reply> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await exchange({ method, url, path, token, timeoutMs, isLongPoll, ...text });
  if (reply.kind === 'failed') throw new NoAnswer(`${url}: ${reply.because}`, { cause: reply.cause });
  const { status, retryAfterMs } = reply;
  return { status, body: reply.body, retryAfter: retryAfterMs === null ? null : retryAfterMs / 1_000 };
}

/** The server's own words, or its status. */
export function sayRefusal({ status, body }: Reply): string {
  const said = (body as { error?: { message?: unknown } } | null)?.error?.message;
  return typeof said === 'string' ? said : `the server answered ${status}`;
}

export const codeOfRefusal = ({ body }: Reply): string | null => {
  const code = (body as { error?: { code?: unknown } } | null)?.error?.code;
  return typeof code === 'string' ? code : null;
};
