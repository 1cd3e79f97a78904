import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { tlsProblem } from './tls-problem.ts';

/** A request to a Holter server. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** With its query. */
  readonly path: string;
  readonly token: string | null;
  /** JSON. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The program does not wait for the answer: the request does not keep its process alive. */
  readonly isBackground?: boolean;
  /** The server answers late on purpose: the request must not take the place of others. */
  readonly isLongPoll?: boolean;
  readonly signal?: AbortSignal;
};

type Answer = {
  readonly kind: 'reply';
  readonly status: number;
  /** As it was parsed, or the text that is not JSON. */
  readonly body: unknown;
  readonly isJson: boolean;
  readonly retryAfterMs: number | null;
};

/** Every outcome is a value; `exchange` does not throw. */
export type Reply =
  | Answer
  /** No connection, or no answer in time. */
  | { readonly kind: 'failed'; readonly because: string; readonly cause: unknown };

/** Larger than any answer to an agent. Stops the reading of an endless page from another server. */
const REPLY_BYTES_MAX = 4 * 1024 * 1024;
const SECOND_MS = 1_000;

const poolOf = (maxSockets: number) => {
  const options = { keepAlive: true, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
};
const background = poolOf(2);
const foreground = poolOf(64);
const longPolls = poolOf(Number.POSITIVE_INFINITY);

/**
 * The one HTTP client on Node's side: of the in-process client, of `holter run`, of the commands. It uses node:http
 * instead of fetch, which needs 10 MB more. Resolves with the head of the answer; its body is still to be read.
 */
export function open(request: HttpRequest): Promise<IncomingMessage> {
  const { method, url, path, token, body, headers = {}, isBackground, isLongPoll, signal } = request;
  return new Promise((resolve, reject) => {
    const target = new URL(path, url);
    const isSecure = target.protocol === 'https:';
    const pool = isBackground ? background : isLongPoll ? longPolls : foreground;
    const sent = (isSecure ? httpsRequest : httpRequest)(target, {
      method,
      agent: isSecure ? pool.https : pool.http,
      headers: {
        ...headers,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      ...(signal && { signal }),
    });
    if (isBackground) sent.on('socket', (socket) => socket.unref());
    sent.on('error', reject);
    sent.on('response', resolve);
    sent.end(body);
  });
}

/** Sends one request and reads its answer. `timeoutMs` limits both, so that no server can hold the client. */
export async function exchange(
  request: Omit<HttpRequest, 'signal'> & { readonly timeoutMs: number; readonly bytesMax?: number },
): Promise<Reply> {
  const { timeoutMs, bytesMax = REPLY_BYTES_MAX, ...rest } = request;
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), timeoutMs);
  // In the foreground somebody awaits the answer, so the process must not end before it or before the time-out.
  if (request.isBackground) timer.unref();
  try {
    return await read(await open({ ...rest, signal: aborter.signal }), bytesMax);
  } catch (cause) {
    const because = aborter.signal.aborted ? `no answer within ${timeoutMs} ms` : wordsOf(cause);
    return { kind: 'failed', because, cause };
  } finally {
    clearTimeout(timer);
  }
}

export async function read(response: IncomingMessage, bytesMax = REPLY_BYTES_MAX): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`the answer has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  const retryAfter = Number(headers['retry-after']);
  const retryAfterMs = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * SECOND_MS : null;
  return { kind: 'reply', status, retryAfterMs, ...parse(Buffer.concat(chunks).toString('utf8')) };
}

function parse(text: string): { readonly body: unknown; readonly isJson: boolean } {
  try {
    return { body: JSON.parse(text), isJson: true };
  } catch {
    return { body: text, isJson: false };
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A refused connection to `localhost` fails once per address, and has no message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(wordsOf).join('; ');
  return tlsProblem(error) ?? error.message;
}
