import { type Client, ClientError, createClient } from '@holter/server/local';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import type { Connection } from './connection.ts';
import { tlsFailure } from './tls-failure.ts';

const TIMEOUT_MS = 15_000;

export const clientOf = ({ url, token }: Connection): Client =>
  createClient({ url, timeoutMs: TIMEOUT_MS, ...(token !== null && { token }) });

/** Sends a request to the server and turns every failure into a message that says what to do next. */
export async function ask<T>(connection: Connection, question: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await question(clientOf(connection));
  } catch (error) {
    throw inWords(error, connection);
  }
}

export function inWords(error: unknown, { url, token }: Connection): unknown {
  if ((error as Error).name === 'TimeoutError')
    return new CliFailure(`${url} did not answer within ${TIMEOUT_MS / 1_000} s`, 'see: holter doctor');
  if (!(error instanceof ClientError)) return error;
  if (error.code === 'unreachable') {
    const failure = tlsFailure(url, error.cause);
    if (failure) return failure;
    const { code } = (error.cause ?? {}) as { readonly code?: string };
    const why = code === undefined ? '' : ` (${code})`;
    return new CliFailure(
      `no server answers at ${url}${why}`,
      'start one: holter up    or see: holter doctor',
    );
  }
  const { status, code, message, field } = error;
  const sentence = field === null || message.includes(field) ? message : `${message} (${field})`;
  return new CliFailure(
    sentence,
    nextAfter(status, code, token !== null),
    isSlip(status, code) ? EXIT.usage : EXIT.error,
  );
}

/** The server did not understand what was typed. */
const isSlip = (status: number, code: string): boolean => status === 400 || code === 'unknown_breaker';

function nextAfter(status: number, code: string, hasToken: boolean): string | null {
  switch (status) {
    case 401:
      return hasToken
        ? 'the token is wrong or revoked; make a new one where the server runs: holter token create --role operator'
        : 'set HOLTER_TOKEN, or run this where the server keeps its data folder';
    case 403:
      return 'use a token of a role that may do this: holter token create --role operator';
    case 404:
      return `see what there is: holter ${code === 'unknown_task' ? 'task list' : 'status'}`;
    case 429:
    case 503:
      return 'try again in a moment; holter doctor says what is slow';
    default:
      return null;
  }
}
