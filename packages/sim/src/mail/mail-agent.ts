import type { Random } from '../base/random.ts';
import { OWN_NAME, type PostServer } from './post-server.ts';

/**
 * `deaf`: fetches its letters and answers none. `blocked`: its loop stands still, and it does nothing. Both end by
 * themselves. Of a dead one another instance starts after a while.
 */
export const CONDITIONS = ['fine', 'deaf', 'blocked', 'dead'] as const;
export type Condition = (typeof CONDITIONS)[number];

export type Sign = 'act' | 'busy' | 'healthy';

/** One end of the network. */
export type MailNode = { readonly random: Random; readonly isCutOff: boolean };

export interface MailNetwork {
  readonly now: number;
  after(ms: number, callback: () => void): void;
  /** Rejects when no answer comes in time; the server may have done it all the same, and even twice. */
  request<T>(node: MailNode, call: (server: PostServer) => Promise<T>): Promise<T>;
  /** The condition of the agent, or its way to Holter, has changed. */
  changed(agent: MailAgent): void;
  /** Holter takes a sign of life of the agent. It may die meanwhile, and then nothing is sure. */
  hearing(agent: MailAgent, sign: Sign): void;
  heard(agent: MailAgent, sign: Sign): void;
  acknowledging(agent: MailAgent, letterId: string): void;
  acknowledged(agent: MailAgent, letterId: string): void;
}

type Letter = { readonly letterId: string; readonly content: string };

const POLL_MS = [2_000, 9_000] as const;
/** How long one that acknowledges late takes for it, on average. */
const LATE_MS = 8 * 60_000;
/** How often it tries to send a letter that was not answered. */
const TRIES = 3;
const TOGETHER_MAX = 25;

/** An agent elsewhere that has nothing but a mailbox, as in docs/remote-agents.md: it fetches letters and answers. */
export class MailAgent {
  readonly name: string;
  readonly role: string;
  readonly random: Random;
  /** Answers pings at once, and acknowledges other letters when it finds the time. */
  private readonly isLateReader: boolean;
  /** Letters that it has seen and will acknowledge. */
  private readonly seen = new Set<string>();
  condition: Condition = 'dead';
  isCutOff = false;
  incarnation = 0;
  /** Changes with each process: what an earlier one planned is dropped. */
  private life = 0;
  private readonly network: MailNetwork;

  constructor(name: string, role: string, random: Random, network: MailNetwork) {
    this.name = name;
    this.role = role;
    this.random = random;
    this.isLateReader = random.chance(0.5);
    this.network = network;
  }

  become(condition: Condition): void {
    this.condition = condition;
    this.network.changed(this);
  }

  cutOff(isCutOff: boolean): void {
    this.isCutOff = isCutOff;
    this.network.changed(this);
  }

  async boot(): Promise<void> {
    this.life += 1;
    const { life } = this;
    const registration = {
      agentId: this.name,
      instanceId: `${this.name}-${life}`,
      role: this.role,
      group: this.name,
      mode: 'nudge',
      promises: { pongs: true },
      can: ['nudge'],
      executor: null,
    } as const;
    try {
      const answer = await this.network.request(this, ({ engine }) => engine.register(registration));
      if (answer.kind !== 'enrolled' || answer.enrollment.kind === 'refused') throw new Error('refused');
      this.incarnation = answer.agent.hard.incarnation;
      this.become('fine');
      this.poll(life);
    } catch {
      this.network.after(this.random.between(1_000, 20_000), () => void this.boot());
    }
  }

  die(): void {
    this.life += 1;
    this.become('dead');
  }

  /** As docs/remote-agents.md asks for, before work that blocks its loop. */
  async sayBusy(): Promise<void> {
    await this.tell('busy', ({ office }) =>
      office.beat(this.name, this.sender, { status: 'busy', role: '' }),
    );
  }

  private poll(life: number): void {
    this.network.after(this.random.between(...POLL_MS), () => {
      if (this.life !== life) return;
      void this.fetch().finally(() => this.poll(life));
    });
  }

  private async fetch(): Promise<void> {
    if (this.condition !== 'fine' && this.condition !== 'deaf') return;
    const query = { of: this.name, box: 'inbox', status: 'unread', limit: TOGETHER_MAX } as const;
    const wait = { waitMs: 0, isGone: async () => false };
    try {
      const letters = await this.network.request(this, ({ office }) => office.list(query, this.sender, wait));
      if (this.condition === 'fine') for (const letter of letters) await this.answer(letter);
    } catch {
      // The next time it asks again.
    }
  }

  private async answer({ letterId, content }: Letter): Promise<void> {
    const { type, sequence } = JSON.parse(content) as { type: string; sequence?: number };
    if (type === 'heartbeat')
      await this.send('healthy', { type: 'heartbeat-response', sequence, status: 'healthy' });
    if (type === 'status-inquiry') await this.send('act', { type: 'response' }, letterId);
    if (type === 'task' && this.isLateReader) this.acknowledgeLater(letterId);
    else await this.acknowledge(letterId);
  }

  private acknowledgeLater(letterId: string): void {
    if (this.seen.has(letterId)) return;
    this.seen.add(letterId);
    this.network.after(this.random.exponential(LATE_MS), () => {
      this.seen.delete(letterId);
      void this.acknowledge(letterId);
    });
  }

  private acknowledge(letterId: string): Promise<void> {
    const { network } = this;
    return this.tell('act', async ({ office }) => {
      network.acknowledging(this, letterId);
      await office.mark(this.name, letterId, 'acknowledged', this.sender);
      network.acknowledged(this, letterId);
    });
  }

  private async send(sign: Sign, content: object, inReplyTo: string | null = null): Promise<void> {
    const letter = {
      from: this.name,
      to: OWN_NAME,
      subject: 'answer',
      priority: 'low',
      content: { message: 'answer', ...content },
      inReplyTo,
      clientId: null,
    } as const;
    await this.tell(sign, ({ office }) => office.send(letter, this.sender));
  }

  private async tell(sign: Sign, call: (server: PostServer) => Promise<unknown>): Promise<void> {
    const { network } = this;
    const heard = async (server: PostServer): Promise<void> => {
      network.hearing(this, sign);
      await call(server);
      network.heard(this, sign);
    };
    for (let attempt = 0; attempt < TRIES && this.condition === 'fine'; attempt += 1) {
      try {
        return await network.request(this, heard);
      } catch {
        // Lost, or its answer was: it can't know.
      }
    }
  }

  private get sender() {
    return { role: 'agent', agentId: this.name, incarnation: this.incarnation } as const;
  }
}
