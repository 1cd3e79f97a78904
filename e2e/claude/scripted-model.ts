import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The next answer of the model: text and at most one call, or a failure. */
export type ModelMove =
  | { readonly say: string; readonly call?: { readonly tool: string; readonly input: unknown } }
  | { readonly hang: true }
  | {
      readonly status: number;
      readonly error: string;
      readonly retryAfterSeconds?: number;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** The conversation so far, as the CLI sent it; system reminders are in it, so nudges are too. */
export type ModelRequest = { readonly messages: readonly unknown[]; readonly text: string };

/** May be slow: a model thinks, and a test does other things meanwhile. */
export type Script = (request: ModelRequest, turn: number) => ModelMove | Promise<ModelMove>;

/** One call of the shell. */
export const bash = (command: string, say = 'Let me see.'): ModelMove => ({
  say,
  call: { tool: 'Bash', input: { command, description: 'run it' } },
});

/** The usage limit of a subscription, as the service answers it. */
export function usageLimit(resetAt: number): ModelMove {
  const reset = String(Math.floor(resetAt / 1_000));
  return {
    status: 429,
    error: 'rate_limit_error',
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': reset,
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'x-should-retry': 'false',
    },
  };
}

/**
 * A model that follows a script, over the Anthropic Messages protocol with streaming. It replaces only the paid
 * model: the CLI that talks to it is the real one.
 */
export class ScriptedModel {
  private readonly server: Server;
  private readonly script: Script;
  readonly requests: ModelRequest[] = [];
  private ids = 0;

  constructor(script: Script) {
    this.script = script;
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request);
    if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      return json(response, 200, request.url?.includes('count_tokens') ? { input_tokens: 1_000 } : {});
    }
    const messages = Array.isArray(body.messages) ? body.messages : [];
    // Requests for a title or a topic have no tools; they are not part of the script.
    const isSideQuestion = !Array.isArray(body.tools) || body.tools.length === 0;
    const move: ModelMove = isSideQuestion ? { say: 'ok' } : await this.nextMove(messages);
    if ('hang' in move) return;
    if ('status' in move) {
      if (move.retryAfterSeconds !== undefined)
        response.setHeader('retry-after', String(move.retryAfterSeconds));
      for (const [name, value] of Object.entries(move.headers ?? {})) response.setHeader(name, value);
      return json(response, move.status, { type: 'error', error: { type: move.error, message: move.error } });
    }
    if (body.stream === true) return this.stream(response, move);
    json(response, 200, { ...this.message(move), content: this.blocksOf(move) });
  }

  private nextMove(messages: readonly unknown[]): ModelMove | Promise<ModelMove> {
    const asked: ModelRequest = { messages, text: JSON.stringify(messages) };
    this.requests.push(asked);
    return this.script(asked, this.requests.length);
  }

  private message(move: Extract<ModelMove, { say: string }>): Record<string, unknown> {
    return {
      id: `msg_${++this.ids}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: move.call ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 1_000,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    };
  }

  private blocksOf(move: Extract<ModelMove, { say: string }>): readonly Record<string, unknown>[] {
    const text = { type: 'text', text: move.say };
    if (!move.call) return [text];
    return [
      text,
      { type: 'tool_use', id: `toolu_${++this.ids}`, name: move.call.tool, input: move.call.input },
    ];
  }

  private stream(response: ServerResponse, move: Extract<ModelMove, { say: string }>): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (type: string, data: object): void => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    };
    const message = this.message(move);
    send('message_start', { message: { ...message, stop_reason: null } });
    this.blocksOf(move).forEach((block, index) => {
      const isText = block.type === 'text';
      const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
      const delta = isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      send('content_block_start', { index, content_block: start });
      send('content_block_delta', { index, delta });
      send('content_block_stop', { index });
    });
    send('message_delta', {
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 20 },
    });
    send('message_stop', {});
    response.end();
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
