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

export type Caller = <T>(method: string, path: string, details?: Details) => Promise<T>;

export function caller(options: CallOptions): Caller {
  return async <T>(method: string, path: string, details: Details = {}): Promise<T> => {
    const { query = {}, body, accept = [] } = details;
    const response = await send(options, addressOf(options, path, query), {
      method,
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      headers: headersOf(options, body !== undefined),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok && !accept.includes(response.status)) throw await errorOf(response);
    if (response.status === 204) return undefined as T;
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return (isJson ? await response.json() : await response.text()) as T;
  };
}

export async function send(options: CallOptions, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const message = `no answer from ${options.url}`;
    throw new ClientError(0, { code: 'unreachable', message }, { cause });
  }
}

export function headersOf({ token }: CallOptions, hasBody: boolean): Record<string, string> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}

export function addressOf({ url }: CallOptions, path: string, query: Readonly<Record<string, unknown>>): URL {
  const address = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat())
      if (each !== undefined) address.searchParams.append(name, String(each));
  }
  return address;
}

export async function errorOf(response: Response): Promise<ClientError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const retryAfterSeconds = retryAfter > 0 ? retryAfter : null;
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text) as ErrorView;
    return new ClientError(response.status, error, { retryAfterSeconds });
  } catch {
    const message = `the server answered ${response.status} without saying why; is it Holter?`;
    return new ClientError(response.status, { code: 'not_holter', message }, { retryAfterSeconds });
  }
}
