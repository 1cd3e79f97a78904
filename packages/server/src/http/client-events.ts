import type { IncomingMessage } from 'node:http';
import { open, read } from '@holter/agent/transport';
import { type CallOptions, ClientError, errorOf, targetOf, unreachable } from './client-call.ts';

export type FollowOptions = {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Between a break and the next try; tests make it short. */
  readonly retryMs?: number;
  /** Told when the connection broke; throwing here ends it. */
  readonly onBreak?: (error: unknown) => void;
};

const RETRY_MS = 2_000;

/** A stream as long as the caller wants it. After a break it goes on behind the last event it saw. */
export async function* follow<T>(
  options: CallOptions,
  path: string,
  query: Readonly<Record<string, unknown>>,
  { signal, retryMs = RETRY_MS, onBreak }: FollowOptions,
): AsyncGenerator<T> {
  let lastId: string | null = null;
  while (!signal?.aborted) {
    try {
      const response: IncomingMessage = await open({
        ...targetOf(options, path, query),
        method: 'GET',
        headers: { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) },
        ...(signal && { signal }),
      }).catch((cause: unknown) => {
        throw unreachable(options, cause);
      });
      if (response.statusCode !== 200) throw errorOf(await read(response));
      for await (const { id, data } of frames(response)) {
        if (data !== null) yield JSON.parse(data) as T;
        if (id !== null) lastId = id;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // A refusal will be the same next time; a broken connection will not.
      if (error instanceof ClientError && error.status >= 400 && error.status < 429) throw error;
      onBreak?.(error);
    }
    await pause(retryMs, signal);
  }
}

/** The first frame has an id and no data: where the stream begins. */
type Frame = { readonly id: string | null; readonly data: string | null };

async function* frames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const frame = frameOf(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (frame) yield frame;
    }
  }
}

function frameOf(text: string): Frame | null {
  let id: string | null = null;
  let data: string | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data = data === null ? line.slice(6) : `${data}\n${line.slice(6)}`;
  }
  return data === null && id === null ? null : { id, data };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
