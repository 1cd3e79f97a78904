import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = {
  readonly path: string;
  readonly body: Record<string, unknown> | Record<string, unknown>[];
};
export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
};

/** A small server that speaks Holter's protocol, or does not: `answer` may say something else. */
export class FakeServer {
  readonly seen: Seen[] = [];
  /** For the next request that it wants to answer; undefined leaves it to the protocol. */
  answer: (seen: Seen) => Answer | string | 'silence' | undefined = () => undefined;
  directives: unknown[] = [];
  incarnation = 1;
  permit: unknown = { kind: 'permit', generation: 3, permitId: 7 };
  private server: Server | null = null;
  private port = 0;

  async start(): Promise<this> {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
    if (this.server?.listening) await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Every signal that came, by whichever way, in order. */
  get signals(): Record<string, unknown>[] {
    return this.seen.flatMap(({ path, body }) => {
      if (path.endsWith('/signals') && Array.isArray(body)) return body;
      return path.endsWith('/heartbeat') ? [{ ...body, kind: 'heartbeat' }] : [];
    });
  }

  kinds(): unknown[] {
    return this.signals.map(({ kind }) => kind);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const seen: Seen = { path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
    this.seen.push(seen);
    const answer = this.answer(seen) ?? this.protocol(seen);
    if (answer === 'silence') return;
    if (typeof answer === 'string') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(answer);
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  }

  private protocol({ path, body }: Seen): Answer {
    if (path === '/v1/agents') {
      const { incarnation } = this;
      return {
        status: 201,
        body: { agentId: 'ada', incarnation, token: 'hlt_x', heartbeatEverySeconds: 30 },
      };
    }
    if (path.endsWith('/checkpoints'))
      return {
        status: 201,
        body: { checkpointId: (body as { checkpointId: string }).checkpointId, hash: 'abc' },
      };
    if (path.includes('/breakers/')) return { status: 200, body: { answers: [this.permit] } };
    const directives = this.directives.splice(0);
    return { status: 200, body: { ok: true, accepted: 1, refused: [], directives } };
  }
}
