import { type EventOf, instant, type MessagePriority, openTasks } from '@holter/core';
import { openMemory } from '@holter/server';
import { pulseOfRole } from '../audit/contract.ts';
import type { Report, Violation } from '../audit/violation.ts';
import { Random } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { Chief, PRIORITIES } from './chief.ts';
import { FLOODERS, Flooder } from './flooder.ts';
import { Forger } from './forger.ts';
import { LetterBounds } from './letter-bounds.ts';
import {
  CONDITIONS,
  type Condition,
  MailAgent,
  type MailNetwork,
  type MailNode,
  type Sign,
  type TaskWord,
} from './mail-agent.ts';
import { MailBounds } from './mail-bounds.ts';
import { OWN_NAME, PostServer } from './post-server.ts';
import { TaskBounds } from './task-bounds.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = instant(1_000_000_000);
const STREAMS = 3_000_000;
const ROLES = ['critical-infrastructure', 'active-development', 'background', 'standby'] as const;
const PAGE = 1_000;
/** As many letters of Holter, true and forged, as a box holds. */
const BOX_MAX = 1_000;
const KEPT_MAX = 20;
/** Of requests, and of their answers. */
const LOST_SHARE = 0.03;
const DOUBLED_SHARE = 0.05;
/** So late that later letters overtake it. */
const LATE_SHARE = 0.05;
const LATE_MS_MAX = 12_000;
const ANSWER_MS = 15_000;
const DOWN_MS = [300, 4 * MINUTE] as const;
/** A server lives for this long on average. */
const SERVER_MS = 25 * MINUTE;
const AWAITS_MAX = 40;

/** What may happen in a run: conditions of agents, faults, verdicts, letters. */
export const MAIL_WORDS = [
  ...CONDITIONS,
  'cut off',
  'server died',
  ...(['forged', 'flooded', 'box full'] as const),
  ...(['alive', 'unknown', 'HEALTHY', 'DEGRADED', 'STUCK', 'FAILING'] as const).map(
    (verdict) => `called ${verdict}` as const,
  ),
  ...(['task', 'task in_progress', 'task completed', 'task cannot_continue'] as const),
  ...(['stalled task, to warn', 'stalled task, to act'] as const),
  ...PRIORITIES.flatMap((priority) => [`${priority} letter`, `${priority} letter called late`] as const),
];

type MailScenario = { readonly seed: number; readonly agents: number; readonly hours: number };

export type MailRun = {
  readonly scenario: MailScenario;
  readonly violations: readonly Violation[];
  readonly events: number;
  /** How often what happened: a condition of an agent, a cut, a death of the server, a verdict. */
  readonly seen: ReadonlyMap<string, number>;
};

export const defaultMailScenario: MailScenario = { seed: 1, agents: 8, hours: 4 };

/** Agents with nothing but a mailbox around the real post office: letters are lost, doubled, late and out of order. */
class MailSimulation implements MailNetwork {
  private readonly scenario: MailScenario;
  private readonly clock = new VirtualClock(
    START,
    () => new Promise((resolve) => void setImmediate(resolve)),
  );
  private readonly store = openMemory();
  private readonly random: Random;
  private readonly agents: readonly MailAgent[];
  private readonly bounds: MailBounds;
  private readonly letters: LetterBounds;
  private readonly tasks: TaskBounds;
  private readonly chief: Chief;
  private readonly forger: Forger;
  private readonly flooders: readonly Flooder[];
  private readonly violations: Violation[] = [];
  private readonly seen = new Map<string, number>();
  private server: PostServer | null = null;
  private events = 0;
  private cursor = 0;
  private ids = 0;

  private readonly report: Report = (invariant, agentId, at, what) => {
    if (this.violations.length < KEPT_MAX) this.violations.push({ invariant, agentId, at, what });
  };

  constructor(scenario: MailScenario) {
    this.scenario = scenario;
    const { seed, agents } = scenario;
    this.random = new Random(seed, STREAMS);
    this.bounds = new MailBounds(this.report);
    this.letters = new LetterBounds(this.report, this.bounds);
    this.tasks = new TaskBounds(this.report, this.bounds);
    this.chief = new Chief(new Random(seed, STREAMS - 1), this);
    this.forger = new Forger(new Random(seed, STREAMS - 2), this);
    this.flooders = Array.from(
      { length: FLOODERS },
      (_, n) => new Flooder(`flooder-${n}`, new Random(seed, STREAMS - 3 - n), this),
    );
    this.agents = Array.from({ length: agents }, (_, slot) => {
      const role = ROLES[slot % ROLES.length] ?? ROLES[0];
      return new MailAgent(`${role}-${slot}`, role, new Random(seed, STREAMS + 1 + slot), this);
    });
  }

  get now(): number {
    return this.clock.now();
  }

  after(ms: number, callback: () => void): void {
    this.clock.after(ms, callback);
  }

  async run(): Promise<MailRun> {
    await this.startServer();
    for (const agent of this.agents) void this.begin(agent);
    for (const flooder of this.flooders) void flooder.begin();
    const end = START + this.scenario.hours * HOUR;
    for (let second = 0; this.now < end; second += 1) {
      await this.clock.advance(1_000);
      await this.readLog();
      if (!this.server) continue;
      for (const agent of this.agents) this.inspect(agent);
      if (second % 10 === 0) await this.lookForPings();
      if (second % 10 === 5) await this.lookAtTasks();
    }
    const { scenario, violations, events, seen } = this;
    return { scenario, violations, events, seen };
  }

  private inspect(agent: MailAgent): void {
    this.bounds.inspect(agent, this.now);
    this.letters.inspect(agent, this.now);
  }

  request<T>(node: MailNode, call: (server: PostServer) => Promise<T>): Promise<T> {
    const { random } = node;
    const travelMs = (): number =>
      random.chance(LATE_SHARE) ? random.between(1_000, LATE_MS_MAX) : random.lognormal(60, 0.8);
    return new Promise((resolve, reject) => {
      this.after(ANSWER_MS, () => reject(new Error('no answer in time')));
      const copies = random.chance(DOUBLED_SHARE) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        if (random.chance(LOST_SHARE)) continue;
        this.after(travelMs(), () => {
          const { server } = this;
          if (node.isCutOff || !server) return;
          call(server).then(
            (answer) => {
              if (!random.chance(LOST_SHARE)) this.after(travelMs(), () => resolve(answer));
            },
            (error: unknown) => {
              this.refused(node, error);
              reject(error);
            },
          );
        });
      }
    });
  }

  /** Whatever strangers write, there is room for what the agents say about themselves, and for Holter's letters. */
  private refused(node: MailNode, error: unknown): void {
    if ((error as { code?: unknown }).code !== 'box_full') return;
    this.count('box full');
    if (node instanceof MailAgent) this.report(12, node.name, this.now, 'its letter to Holter is refused');
    else if (node === this.chief) this.report(12, OWN_NAME, this.now, 'a letter of Holter is refused');
  }

  get names(): readonly string[] {
    return this.agents.map(({ name }) => name);
  }

  get written(): number {
    return this.chief.written;
  }

  forged(): void {
    this.count('forged');
  }

  flooded(): void {
    this.count('flooded');
  }

  async sequenceOf(agent: MailAgent): Promise<number> {
    const { content } = (await this.newestPing(agent)) ?? { content: '{ "sequence": 0 }' };
    return (JSON.parse(content) as { sequence: number }).sequence;
  }

  changed(agent: MailAgent): void {
    this.count(agent.isCutOff ? 'cut off' : agent.condition);
    this.lookAt(agent);
  }

  hearing(agent: MailAgent, sign: Sign): void {
    this.bounds.hearing(agent, sign, this.now);
  }

  heard(agent: MailAgent, sign: Sign): void {
    this.bounds.heard(agent, sign, this.now);
  }

  sent(agent: MailAgent, letterId: string, priority: MessagePriority, calls: readonly number[]): void {
    this.count(`${priority} letter`);
    this.letters.sent(agent, letterId, priority, calls, this.now);
  }

  acknowledging(agent: MailAgent, letterId: string): void {
    this.letters.acknowledging(agent, letterId, this.now);
  }

  acknowledged(agent: MailAgent, letterId: string): void {
    this.letters.acknowledged(agent, letterId, this.now);
  }

  assigned(agent: MailAgent, taskId: string, expectedAt: number, firstCallAt: number): void {
    this.count('task');
    this.tasks.assigned(agent, taskId, expectedAt, firstCallAt, this.now);
  }

  telling(agent: MailAgent, taskId: string, word: TaskWord): void {
    this.tasks.telling(agent, taskId, word === 'completed', this.now);
    if (word === 'cannot_continue') this.bounds.givingUp(agent, this.now);
  }

  told(agent: MailAgent, taskId: string, word: TaskWord): void {
    this.count(`task ${word}`);
    this.tasks.told(agent, taskId, this.now);
    if (word === 'cannot_continue') this.bounds.gaveUp(agent, this.now);
  }

  private lookAt(agent: MailAgent): void {
    const isWell = agent.condition === 'fine' && !agent.isCutOff && this.server !== null;
    this.bounds.isWell(agent, isWell, this.now);
  }

  private async begin(agent: MailAgent): Promise<void> {
    await agent.boot();
    this.planTrouble(agent);
    this.planCut(agent);
    this.chief.writeEvery(this.scaleOf(agent) / 2, agent);
    this.chief.giveTasks(agent);
    this.forger.beset(agent);
  }

  /** As often, and for as long, as the deadlines of its role make it interesting. */
  private scaleOf({ role }: MailAgent): number {
    const { intervalMs, missed } = pulseOfRole(role);
    return intervalMs * missed + 5 * MINUTE;
  }

  private planTrouble(agent: MailAgent): void {
    const { random } = agent;
    const scale = this.scaleOf(agent);
    this.after(random.exponential(2 * scale), () => {
      if (agent.condition !== 'fine') return this.planTrouble(agent);
      const trouble: Condition = random.pick(['deaf', 'blocked', 'dead']);
      void this.fall(agent, trouble).then(() =>
        this.after(random.between(0.1, 2.5) * scale, () => {
          if (agent.condition === 'dead') void agent.boot();
          else agent.become('fine');
          this.planTrouble(agent);
        }),
      );
    });
  }

  private async fall(agent: MailAgent, trouble: Condition): Promise<void> {
    if (trouble === 'blocked' && agent.random.chance(0.5)) await agent.sayBusy();
    if (trouble === 'dead') agent.die();
    else agent.become(trouble);
  }

  private planCut(agent: MailAgent): void {
    const { random } = agent;
    const scale = this.scaleOf(agent);
    this.after(random.exponential(4 * scale), () => {
      agent.cutOff(true);
      this.after(random.between(0.05, 1.5) * scale, () => {
        agent.cutOff(false);
        this.planCut(agent);
      });
    });
  }

  private async startServer(): Promise<void> {
    const server: PostServer = new PostServer({
      clock: this.clock,
      store: this.store,
      newId: () => `id${++this.ids}`,
      bug: (error) =>
        this.violations.push({ invariant: 0, agentId: 'server', at: this.now, what: String(error) }),
      died: () => this.serverDied(),
    });
    await server.start();
    this.server = server;
    for (const agent of this.agents) this.lookAt(agent);
    this.after(this.random.exponential(SERVER_MS), () => server.dieIn(1 + this.random.below(AWAITS_MAX)));
  }

  private serverDied(): void {
    this.count('server died');
    const from = this.now;
    this.server = null;
    for (const agent of this.agents) this.lookAt(agent);
    this.after(this.random.between(...DOWN_MS), () => {
      this.bounds.down(from, this.now);
      void this.startServer();
    });
  }

  private async lookForPings(): Promise<void> {
    for (const agent of this.agents) {
      const ping = await this.newestPing(agent);
      this.bounds.pinged(agent, ping?.sentAt ?? 0, this.now);
    }
  }

  private async newestPing({ name }: MailAgent) {
    const query = { of: name, box: 'inbox', other: OWN_NAME, limit: BOX_MAX } as const;
    return (await this.store.listLetters(query)).find(({ letterId }) => letterId.startsWith('ping-'));
  }

  private async lookAtTasks(): Promise<void> {
    for (const agent of this.agents) {
      const stored = await this.store.load(agent.name);
      if (stored) this.tasks.inspect(agent, openTasks(stored.agent.hard), this.now);
    }
  }

  private async readLog(): Promise<void> {
    for (;;) {
      const page = await this.store.readEvents({ after: this.cursor, limit: PAGE });
      for (const { cursor, agentId, event } of page) {
        this.cursor = cursor;
        this.events += 1;
        const agent = this.agents.find(({ name }) => name === agentId);
        if (event.type === 'LIVENESS_CHANGED') this.count(`called ${event.payload.to}`);
        if (event.type === 'HEALTH_STATE_CHANGED') this.count(`called ${event.payload.to}`);
        if (!agent) continue;
        this.bounds.read(agent, event);
        this.letters.read(agent, event);
        this.tasks.read(agent, event);
        if (event.type === 'FINDING_RAISED' && event.payload.kind === 'task-overdue')
          this.count(`stalled task, to ${event.payload.severity}`);
        if (event.type === 'ACK_OVERDUE') await this.calledLate(agent, event);
      }
      if (page.length < PAGE) return;
    }
  }

  private async calledLate(agent: MailAgent, { at, payload }: EventOf<'ACK_OVERDUE'>): Promise<void> {
    this.count(`${payload.priority} letter called late`);
    const { acknowledgedAt = null } = (await this.store.readLetter(payload.messageId)) ?? {};
    if (acknowledgedAt !== null && acknowledgedAt < at)
      this.report(1, agent.name, at, 'its letter is called late, though its acknowledgement is stored');
  }

  private count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

/** The line to paste that runs this fleet again. */
export const mailReplayLine = ({ seed, agents, hours }: MailScenario): string =>
  `npm run sim -- --mail --seed ${seed} --agents ${agents} --hours ${hours}`;

export const runMailSeed = (scenario: MailScenario): Promise<MailRun> => new MailSimulation(scenario).run();
