import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

type Post = {
  readonly url: string;
  readonly path: string;
  readonly token: string | null;
  /** JSON. */
  readonly body: string;
  readonly timeoutMs: number;
};

/** Every outcome is a value; `postJson` does not throw. */
export type Reply =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly body: unknown;
      readonly retryAfterMs: number | null;
    }
  /** No connection, no answer in time, or an answer that does not come from Holter. */
  | { readonly kind: 'failed'; readonly because: string };

/** Larger than any answer of Holter. Stops the reading of an endless page from another server. */
const REPLY_BYTES_MAX = 4 * 1024 * 1024;
const SECOND_MS = 1_000;

const options = { keepAlive: true, maxSockets: 2 };
const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

/** Sends one request. The socket does not keep the process alive; a caller that must wait needs its own timer. */
export function postJson({ url, path, token, body, timeoutMs }: Post): Promise<Reply> {
  return new Promise((resolve) => {
    const fail = (because: string): void => resolve({ kind: 'failed', because });
    try {
      const target = new URL(path, url);
      const isSecure = target.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(target, {
        method: 'POST',
        agent: isSecure ? agents.https : agents.http,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
      });
      // Limits the whole exchange, so that a server which answers byte by byte cannot hold the client.
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      timer.unref();
      request.on('socket', (socket) => socket.unref());
      request.on('close', () => clearTimeout(timer));
      request.on('error', (error) => fail(wordsOf(error)));
      request.on(
        'response',
        (response) => void read(response).then(resolve, (error) => fail(wordsOf(error))),
      );
      request.end(body);
    } catch (error) {
      fail(wordsOf(error));
    }
  });
}

async function read(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REPLY_BYTES_MAX) throw new Error(`the answer has more than ${REPLY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return { kind: 'failed', because: `it answered ${status} without JSON: that is not Holter` };
  }
  const retryAfter = Number(headers['retry-after']);
  const retryAfterMs = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * SECOND_MS : null;
  return { kind: 'reply', status, body, retryAfterMs };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A refused connection to `localhost` fails once per address, and has no message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(wordsOf).join('; ');
  return error.message;
}
