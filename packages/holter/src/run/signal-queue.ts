import type { SignalBody } from '@holter/core';
import { type Reply, sayRefusal } from '../background/http-call.ts';
import type { ServerLink } from './server-link.ts';

type Queued = {
  readonly incarnation: number;
  readonly id: string;
  readonly seq: number;
  readonly body: SignalBody;
};

/** Enough for an outage of hours, since all process readings and all beats take one place each. */
const WAITING_MAX = 500;

/** Only the newest of these matters, so each replaces the one before. */
const newestOnly: ReadonlySet<string> = new Set(['process', 'heartbeat', 'tokens']);

/**
 * Signals of a run that the server has not accepted yet. While no server answers they are queued, within a bound.
 * One-time signals (an exit, a finding) are not lost, and none counts twice: they are sent in order, over a channel
 * of this run.
 */
export class SignalQueue {
  private readonly link: ServerLink;
  private readonly agentId: string;
  private readonly newId: () => string;
  private readonly channel: string;
  private waiting: Queued[] = [];
  private nextSeq = 1;
  private sending: Promise<void> | null = null;

  constructor(link: ServerLink, agentId: string, newId: () => string) {
    this.link = link;
    this.agentId = agentId;
    this.newId = newId;
    this.channel = `run:${newId()}`;
  }

  put(incarnation: number, body: SignalBody): void {
    if (newestOnly.has(body.kind))
      this.waiting = this.waiting.filter((other) => other.body.kind !== body.kind);
    this.waiting.push({ incarnation, id: this.newId(), seq: this.nextSeq, body });
    this.nextSeq += 1;
    if (this.waiting.length > WAITING_MAX) this.waiting.shift();
    if (this.sending !== null) return;
    this.sending = this.send();
    // Whoever waits for it hears of a failure; a signal for which nobody waits stays in the queue.
    this.sending.catch(() => undefined);
  }

  /** Waits until every signal was accepted. Throws `NoAnswer` where the link gives up. */
  async flush(): Promise<void> {
    while (this.sending !== null) await this.sending;
  }

  private async send(): Promise<void> {
    try {
      // What is put together is sent together.
      await Promise.resolve();
      while (this.waiting.length > 0) await this.sendBatch();
    } finally {
      this.sending = null;
    }
  }

  private async sendBatch(): Promise<void> {
    const batch = this.waiting.slice(0, 100);
    const { channel } = this;
    const signals = batch.map(({ body, ...envelope }) => ({ ...body, ...envelope, channel }));
    const reply: Reply = await this.link.insist('POST', `/v1/agents/${this.agentId}/signals`, signals);
    // A refusal is final: the agent has ended, or a newer incarnation has replaced it.
    if (reply.status === 429) return;
    if (reply.status >= 400 && reply.status !== 409) this.lastRefusal = sayRefusal(reply);
    const sent = new Set(batch.map(({ id }) => id));
    this.waiting = this.waiting.filter(({ id }) => !sent.has(id));
  }

  /** The last refusal, for debugging. */
  lastRefusal: string | null = null;
}
