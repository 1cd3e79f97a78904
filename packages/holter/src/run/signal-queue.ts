import type { SignalBody } from '@holter/core';
import { type Reply, sayRefusal } from './http-call.ts';
import type { ServerLink } from './server-link.ts';

type Queued = { readonly incarnation: number; readonly id: string; readonly body: SignalBody };

/** More than an outage of hours brings, since looks and beats take one place each. */
const WAITING_MAX = 500;

/** Of these only the newest says something: each replaces the one before. */
const newestOnly: ReadonlySet<string> = new Set(['process', 'heartbeat', 'tokens']);

/**
 * What a run saw and the server has not heard yet. While no server answers it waits here, bounded; nothing
 * that happened once (an exit, a finding) is lost, and nothing is told twice: each has an id.
 */
export class SignalQueue {
  private readonly link: ServerLink;
  private readonly agentId: string;
  private readonly newId: () => string;
  private waiting: Queued[] = [];
  private sending: Promise<void> | null = null;

  constructor(link: ServerLink, agentId: string, newId: () => string) {
    this.link = link;
    this.agentId = agentId;
    this.newId = newId;
  }

  put(incarnation: number, body: SignalBody): void {
    if (newestOnly.has(body.kind))
      this.waiting = this.waiting.filter((other) => other.body.kind !== body.kind);
    this.waiting.push({ incarnation, id: this.newId(), body });
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
      const signals = batch.map(({ incarnation, id, body }) => ({ ...body, incarnation, id }));
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
