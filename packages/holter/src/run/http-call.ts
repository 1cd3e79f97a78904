import { Agent, request } from 'node:http';

export type Reply = { readonly status: number; readonly body: unknown; readonly retryAfter: number | null };

/** There was no answer, or not in time. An error status of the server is a `Reply`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export type Target = { readonly url: string; readonly token: string | null };

const agent = new Agent({ keepAlive: true, maxSockets: 4, keepAliveMsecs: 1_000 });

/** Uses node:http instead of fetch, which needs 10 MB more, in a process that runs once per watched agent. */
export function call(
  { url, token }: Target,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
  timeoutMs = 10_000,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const fail = (error: Error): void => reject(new NoAnswer(`${url}: ${error.message}`, { cause: error }));
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent,
        timeout: timeoutMs,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const retryAfter = Number(response.headers['retry-after']);
          resolve({
            status: response.statusCode ?? 0,
            body: parse(Buffer.concat(chunks).toString()),
            retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
          });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    sent.on('error', fail);
    sent.end(text ?? undefined);
  });
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
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
