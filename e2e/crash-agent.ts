import type { Agent as HttpAgent } from 'node:http';
import { request } from 'node:http';

/** A worker writes checkpoints, a looper repeats one call, a stale agent only beats. */
export type Kind = 'worker' | 'looper' | 'stale';

type Reply = { readonly status: number; readonly body: unknown };

/** The current address of the server, which is restarted several times. */
export type Target = { readonly port: number; readonly http: HttpAgent; isStopped: boolean };

const BEAT_EVERY_MS = 1_000;
const RETRY_MS = 400;

/**
 * An agent that beats once a second even if the server is down, repeats what was not acknowledged, and remembers
 * what was. Its memory is compared with the server's records at the end.
 */
export class CrashAgent {
  readonly id: string;
  readonly kind: Kind;
  /** Checkpoints whose signal was answered with 2xx. */
  readonly acknowledged = new Set<string>();
  /** When beats were acknowledged. */
  readonly beats: number[] = [];
  /** Ids of directives, and how often each was delivered. */
  readonly directives = new Map<string, number>();
  registeredAt = 0;
  private token = '';
  private sent = 0;

  constructor(id: string, kind: Kind) {
    this.id = id;
    this.kind = kind;
  }

  async register(target: Target, enrolToken: string): Promise<void> {
    const body = {
      agentId: this.id,
      instanceId: `${this.id}-1`,
      taskId: `task-${this.id}`,
      promises: { beatEverySeconds: 2, tasks: true, ...(this.kind !== 'looper' && { checkpoints: true }) },
    };
    const reply = await this.insist(target, '/v1/agents', enrolToken, body);
    this.token = (reply.body as { token: string }).token;
    this.registeredAt = Date.now();
  }

  /** Runs until the target is stopped. */
  async live(target: Target): Promise<void> {
    while (!target.isStopped) {
      const began = Date.now();
      await this.beat(target);
      if (this.kind === 'worker') await this.writeCheckpoint(target);
      if (this.kind === 'looper') for (let again = 0; again < 2; again++) await this.callAgain(target);
      await pause(Math.max(0, BEAT_EVERY_MS - (Date.now() - began)));
    }
  }

  private async beat(target: Target): Promise<void> {
    const reply = await this.insist(target, `/v1/agents/${this.id}/heartbeat`, this.token, { phase: 'load' });
    if (reply.status < 300) this.beats.push(Date.now());
    this.keep(reply);
  }

  private keep(reply: Reply): void {
    const { directives = [] } = (reply.body ?? {}) as { directives?: { id: string }[] };
    for (const { id } of directives) this.directives.set(id, (this.directives.get(id) ?? 0) + 1);
  }

  /** The same call with the same result: five are a loop, and five more after a nudge cause the next one. */
  private async callAgain(target: Target): Promise<void> {
    this.sent += 1;
    const callId = `${this.id}-k${this.sent}`;
    const call = {
      kind: 'call-ended',
      id: callId,
      callId,
      tool: 'search',
      input: { q: 'x' },
      output: 'none',
      isError: false,
    };
    this.keep(await this.insist(target, `/v1/agents/${this.id}/signals`, this.token, call));
  }

  private async writeCheckpoint(target: Target): Promise<void> {
    this.sent += 1;
    const checkpointId = `${this.id}-c${this.sent}`;
    const signal = { kind: 'checkpoint', id: checkpointId, checkpointId, hash: 'ab'.repeat(32) };
    const reply = await this.insist(target, `/v1/agents/${this.id}/signals`, this.token, signal);
    if (reply.status < 300) this.acknowledged.add(checkpointId);
  }

  /** Repeats until a server answers: a broken connection does not show whether the request was processed. */
  private async insist(target: Target, path: string, token: string, body: unknown): Promise<Reply> {
    for (;;) {
      try {
        const reply = await post(target, path, token, body);
        if (reply.status < 500 && reply.status !== 429) {
          if (reply.status >= 400)
            throw new Refused(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
          return reply;
        }
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      if (target.isStopped) return { status: 599, body: null };
      await pause(RETRY_MS);
    }
  }
}

class Refused extends Error {}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function post({ port, http }: Target, path: string, token: string, body: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent: http, headers, timeout: 10_000 };
    const sending = request(options, (response) => {
      let received = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        received += chunk;
      });
      response.on('error', reject);
      response.on('aborted', () => reject(new Error('cut')));
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: received === '' ? null : JSON.parse(received) });
        } catch (error) {
          reject(error);
        }
      });
    });
    sending.on('error', reject);
    sending.on('timeout', () => sending.destroy(new Error('no answer')));
    sending.end(text);
  });
}
