import type { Readable } from 'node:stream';

/** Of JSON-RPC 2.0. */
export const CODE = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 };

/** An error that the other side is told with its code; any other is a bug. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type Params = Readonly<Record<string, unknown>>;
type Id = string | number;

type Peer = {
  readonly write: (line: string) => void;
  readonly handle: (method: string, params: Params) => Promise<unknown>;
  readonly failed: (error: unknown) => void;
};

/** A checkpoint of 4 MB, written as a string in JSON, and what is around it. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;
const CANCELLED = 'notifications/cancelled';

/**
 * The server's side of JSON-RPC as MCP uses it over stdio: one message per line. Answers in the order in which
 * requests are done. Resolves when the other side has closed its end and everything is answered.
 */
export async function serveLines(input: Readable, peer: Peer): Promise<void> {
  const running = new Map<Id, { isCancelled: boolean }>();
  const answers = new Set<Promise<void>>();
  const send = (message: object): void => peer.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const refuse = (id: Id | null, { code, message, data }: RpcError): void =>
    send({ id, error: { code, message, ...(data !== undefined && { data }) } });

  async function answer(id: Id, method: string, params: Params): Promise<void> {
    const request = { isCancelled: false };
    running.set(id, request);
    try {
      const result = await peer.handle(method, params);
      if (!request.isCancelled) send({ id, result });
    } catch (error) {
      if (!(error instanceof RpcError)) peer.failed(error);
      const known =
        error instanceof RpcError ? error : new RpcError(CODE.internal, 'this is a bug in Holter');
      if (!request.isCancelled) refuse(id, known);
    } finally {
      if (running.get(id) === request) running.delete(id);
    }
  }

  function take(line: string): void {
    const message = parse(line);
    if (message instanceof RpcError) return refuse(null, message);
    const { id, method, params } = message;
    // Without a method it is an answer, and this side asks nothing.
    if (typeof method !== 'string') return;
    const given = isRecord(params) ? params : {};
    if (typeof id === 'string' || typeof id === 'number') {
      const answered = answer(id, method, given).finally(() => answers.delete(answered));
      answers.add(answered);
    } else if (method === CANCELLED) {
      // What was decided is done; only the answer has no reader any more.
      const request = running.get(given.requestId as Id);
      if (request) request.isCancelled = true;
    }
  }

  for await (const line of linesOf(input)) {
    if (line === null)
      refuse(null, new RpcError(CODE.request, `a message has at most ${LINE_LENGTH_MAX} characters`));
    else if (line.trim() !== '') take(line);
  }
  await Promise.all(answers);
}

function parse(line: string): Params | RpcError {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value) && value.jsonrpc === '2.0') return value;
    return new RpcError(CODE.request, 'a message is an object of JSON-RPC 2.0');
  } catch {
    return new RpcError(CODE.parse, 'a line is one message in JSON');
  }
}

const isRecord = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null for a line that was too long to be kept. */
async function* linesOf(input: Readable): AsyncGenerator<string | null> {
  let parts: string[] = [];
  let length = 0;
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    const [first = '', ...rest] = chunk.split('\n');
    let head = first;
    for (const next of rest) {
      yield length + head.length > LINE_LENGTH_MAX ? null : [...parts, head].join('');
      parts = [];
      length = 0;
      head = next;
    }
    length += head.length;
    if (length > LINE_LENGTH_MAX) parts = [];
    else if (head !== '') parts.push(head);
  }
}
