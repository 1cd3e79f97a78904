import type { SignalBody } from '@holter/core';
import { type Reply, sayRefusal } from './http-call.ts';
import type { ServerLink } from './server-link.ts';

type Queued = {
  readonly incarnation: number;
  readonly id: string;
  readonly seq: number;
  readonly body: SignalBody;
};

/** More than an outage of hours brings, since looks and beats take one place each. */
const WAITING_MAX = 500;

/** Of these only the newest says something: each replaces the one before. */
const newestOnly: ReadonlySet<string> = new Set(['process', 'heartbeat', 'tokens']);

/**
 * What a run saw and the server has not heard yet. While no server answers it waits here, bounded; nothing
 * that happened once (an exit, a finding) is lost, and nothing is told twice: they come in order, by a channel
 * of this run's own.
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
    this.sending ??= this.send().finally(() => {
      this.sending = null;
    });
  }

  /** Until everything was heard. */
  async flush(): Promise<void> {
    while (this.sending !== null) await this.sending;
  }

  private async send(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, 100);
      const { channel } = this;
      const signals = batch.map(({ body, ...envelope }) => ({ ...body, ...envelope, channel }));
      const reply: Reply = await this.link.insist('POST', `/v1/agents/${this.agentId}/signals`, signals);
      // Refused ones are refused for good: the agent has ended, or a newer start took its place.
      if (reply.status === 429) continue;
      if (reply.status >= 400 && reply.status !== 409) this.lastRefusal = sayRefusal(reply);
      const sent = new Set(batch.map(({ id }) => id));
      this.waiting = this.waiting.filter(({ id }) => !sent.has(id));
    }
  }

  /** For people who look why something did not arrive. */
  lastRefusal: string | null = null;
}
