import { exchange, type HttpRequest } from '@holter/agent/transport';
import type { ErrorView } from './types.ts';

export type CallOptions = {
  /** Such as `http://127.0.0.1:4658`. */
  readonly url: string;
  readonly token?: string;
  readonly timeoutMs?: number;
};

type Details = {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Statuses beyond 2xx that are an answer and no error. */
  readonly accept?: readonly number[];
};

/** What the server said instead of an answer; `unreachable` when it said nothing. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly retryAfterSeconds: number | null;
  constructor(
    status: number,
    { code, message, field }: ErrorView['error'],
    more: { retryAfterSeconds?: number | null; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.code = code;
    this.field = field ?? null;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

const TIMEOUT_MS = 30_000;

type Method = HttpRequest['method'];

export type Caller = <T>(method: Method, path: string, details?: Details) => Promise<T>;

export function caller(options: CallOptions): Caller {
  return async <T>(method: Method, path: string, details: Details = {}): Promise<T> => {
    const { query = {}, body, accept = [] } = details;
    const reply = await exchange({
      ...targetOf(options, path, query),
      method,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      bytesMax: Number.POSITIVE_INFINITY,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (reply.kind === 'failed') throw unreachable(options, reply.cause);
    const { status } = reply;
    if ((status < 200 || status > 299) && !accept.includes(status)) throw errorOf(reply);
    return (status === 204 ? undefined : reply.body) as T;
  };
}

export function targetOf(
  { url, token }: CallOptions,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Pick<HttpRequest, 'url' | 'path' | 'token'> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  return { url, token: token ?? null, path: search.size === 0 ? path : `${path}?${search}` };
}

export const unreachable = ({ url }: CallOptions, cause: unknown): ClientError =>
  new ClientError(0, { code: 'unreachable', message: `no answer from ${url}` }, { cause });

/** The server's own words for a status that is no answer. */
export function errorOf(reply: {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number | null;
}): ClientError {
  const { status, body, retryAfterMs } = reply;
  const more = { retryAfterSeconds: retryAfterMs === null ? null : retryAfterMs / 1_000 };
  if (typeof body === 'object' && body !== null && 'error' in body) {
    // Below /api the code itself is the error.
    const { error, message = '' } = body as { error: ErrorView['error'] | string; message?: string };
    return new ClientError(status, typeof error === 'string' ? { code: error, message } : error, more);
  }
  const message = `the server answered ${status} without saying why; is it Holter?`;
  return new ClientError(status, { code: 'not_holter', message }, more);
}
