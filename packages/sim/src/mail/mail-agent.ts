import type { Random } from '../base/random.ts';
import { OWN_NAME, type PostServer } from './post-server.ts';

/**
 * `deaf`: fetches its letters and answers none. `blocked`: its loop stands still, and it does nothing. Both end by
 * themselves. Of a dead one another instance starts after a while.
 */
export const CONDITIONS = ['fine', 'deaf', 'blocked', 'dead'] as const;
export type Condition = (typeof CONDITIONS)[number];

export type Sign = 'act' | 'busy' | 'healthy';

/** How an agent goes about a task: it tells of it all the time, only some time after it is asked, or never. */
export const STYLES = ['steady', 'slow', 'silent'] as const;
type Style = (typeof STYLES)[number];

/** What it says about a task. */
export type TaskWord = 'in_progress' | 'completed' | 'cannot_continue';

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
  telling(agent: MailAgent, taskId: string, word: TaskWord): void;
  told(agent: MailAgent, taskId: string, word: TaskWord): void;
}

type Letter = { readonly letterId: string; readonly content: string };

const POLL_MS = [2_000, 9_000] as const;
/** How long one that acknowledges late takes for it, on average. */
const LATE_MS = 8 * 60_000;
/** How long it works on a task before it may have something to say about it, on average. */
const WORK_MS = 8 * 60_000;
const DONE_SHARE = 0.1;
const HOPELESS_SHARE = 0.02;
/** How long a slow one takes for an answer about a task, on average. */
const ANSWER_MS = 5 * 60_000;
/** One that can't continue is started again. */
const HOPELESS_MS = [60_000, 4 * 60_000] as const;
/** How often it tries to send a letter that was not answered. */
const TRIES = 3;
const TOGETHER_MAX = 25;

/** A pong to a forged ping, or to one that was answered before, is a sign of life, and its status is not taken. */
const isUnasked = (answer: unknown): boolean =>
  ((answer as { notes?: readonly string[] } | undefined)?.notes ?? []).some((note) => /\bping\b/.test(note));

/** An agent elsewhere that has nothing but a mailbox, as in docs/remote-agents.md: it fetches letters and answers. */
export class MailAgent {
  readonly name: string;
  readonly role: string;
  readonly random: Random;
  /** Answers pings at once, and acknowledges other letters when it finds the time. */
  private readonly isLateReader: boolean;
  /** Letters that it has seen and will acknowledge. */
  private readonly seen = new Set<string>();
  /** Its open tasks; whoever starts after it goes on with them. */
  private readonly tasks = new Map<string, Style>();
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

  take(taskId: string, style: Style): void {
    this.tasks.set(taskId, style);
    this.work(taskId, style);
  }

  private work(taskId: string, style: Style): void {
    this.network.after(this.random.exponential(WORK_MS), () => {
      const word = this.wordAbout(style);
      void (word === null ? Promise.resolve() : this.report(taskId, word)).then(() => {
        if (this.tasks.has(taskId)) this.work(taskId, style);
      });
    });
  }

  private wordAbout(style: Style): TaskWord | null {
    if (this.random.chance(DONE_SHARE)) return 'completed';
    if (this.random.chance(HOPELESS_SHARE)) return 'cannot_continue';
    return style === 'steady' ? 'in_progress' : null;
  }

  private async report(taskId: string, word: TaskWord, inReplyTo: string | null = null): Promise<void> {
    const { network } = this;
    const content = { type: 'status-update', task_id: taskId, status: word };
    const isHeard = await this.tell('act', async (server) => {
      network.telling(this, taskId, word);
      await this.post(server, content, inReplyTo);
      network.told(this, taskId, word);
    });
    if (isHeard && word === 'completed') this.tasks.delete(taskId);
    if (isHeard && word === 'cannot_continue')
      network.after(this.random.between(...HOPELESS_MS), () => {
        if (this.condition !== 'fine') return;
        this.die();
        void this.boot();
      });
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
    const said = JSON.parse(content) as { type: string; sequence?: number; task_id?: string };
    const { type, sequence, task_id: taskId } = said;
    if (type === 'heartbeat')
      await this.send('healthy', { type: 'heartbeat-response', sequence, status: 'healthy' });
    if (type === 'status-inquiry' && taskId !== undefined) this.explain(taskId, letterId);
    else if (type === 'status-inquiry') await this.send('act', { type: 'response' }, letterId);
    if (type === 'task' && this.isLateReader) this.acknowledgeLater(letterId);
    else await this.acknowledge(letterId);
  }

  private explain(taskId: string, letterId: string): void {
    const style = this.tasks.get(taskId);
    if (style === 'silent') return;
    const afterMs = style === 'slow' ? this.random.exponential(ANSWER_MS) : 0;
    const word = style === undefined ? 'completed' : 'in_progress';
    this.network.after(afterMs, () => void this.report(taskId, word, letterId));
  }

  private acknowledgeLater(letterId: string): void {
    if (this.seen.has(letterId)) return;
    this.seen.add(letterId);
    this.network.after(this.random.exponential(LATE_MS), () => {
      this.seen.delete(letterId);
      void this.acknowledge(letterId);
    });
  }

  private async acknowledge(letterId: string): Promise<void> {
    const { network } = this;
    await this.tell('act', async ({ office }) => {
      network.acknowledging(this, letterId);
      await office.mark(this.name, letterId, 'acknowledged', this.sender);
      network.acknowledged(this, letterId);
    });
  }

  private async send(sign: Sign, content: object, inReplyTo: string | null = null): Promise<void> {
    await this.tell(sign, (server) => this.post(server, content, inReplyTo));
  }

  private post({ office }: PostServer, content: object, inReplyTo: string | null): Promise<unknown> {
    const letter = {
      from: this.name,
      to: OWN_NAME,
      subject: 'answer',
      priority: 'low',
      content: { message: 'answer', ...content },
      inReplyTo,
      clientId: null,
    } as const;
    return office.send(letter, this.sender);
  }

  /** Whether it knows that it was heard. */
  private async tell(sign: Sign, call: (server: PostServer) => Promise<unknown>): Promise<boolean> {
    const { network } = this;
    const heard = async (server: PostServer): Promise<void> => {
      network.hearing(this, sign);
      const answer = await call(server);
      network.heard(this, isUnasked(answer) ? 'act' : sign);
    };
    for (let attempt = 0; attempt < TRIES && this.condition === 'fine'; attempt += 1) {
      try {
        await network.request(this, heard);
        return true;
      } catch {
        // Lost, or its answer was: it can't know.
      }
    }
    return false;
  }

  private get sender() {
    return { role: 'agent', agentId: this.name, incarnation: this.incarnation } as const;
  }
}
