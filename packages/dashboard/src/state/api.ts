import type { ErrorView } from '@holter/server/wire';
import { signal } from '@preact/signals';

/** An error of the server, with a message for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** There is no session, or it has ended. */
export const isLoggedOut = signal(false);

type Query = Readonly<Record<string, string | number | undefined>>;

export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

export const get = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> =>
  ask<T>(addressOf(path, query), signal ? { signal } : {});

export const post = <T>(path: string, body: unknown): Promise<T> =>
  ask<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function ask<T>(address: string, init: RequestInit, isAgain = false): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { ...init, credentials: 'same-origin' });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new ApiError(0, 'unreachable', 'the server does not answer');
  }
  if (response.status === 204) return undefined as T;
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const body: unknown = isJson ? await response.json() : null;
  // Bad health is answered with status 503 and a regular body.
  if (response.ok || (isJson && !isErrorBody(body))) return body as T;
  if (response.status === 401 && address !== '/v1/login') {
    // A session that is given a name gets a new cookie, which this request may not have had yet.
    if (!isAgain) return ask<T>(address, init, true);
    isLoggedOut.value = true;
  }
  const { code, message } = isErrorBody(body)
    ? body.error
    : { code: 'unknown', message: `the server answered ${response.status}` };
  throw new ApiError(response.status, code, message);
}

const isErrorBody = (body: unknown): body is ErrorView =>
  typeof body === 'object' && body !== null && 'error' in body;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
