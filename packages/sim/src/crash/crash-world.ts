import {
  type Agent,
  type Effect,
  type HolterEvent,
  instant,
  milliseconds,
  type Registration,
  type Signal,
  type SignalBody,
} from '@holter/core';
import { type ActResult, AGENT_EFFECTS, Engine, type Executor, type Store } from '@holter/server';
import { policiesOf } from '../base/policies.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type CrashPlan, storeOf } from './crash-plan.ts';

/**
 * A few agents around the real engine, small enough that every single await can be crashed at: one that
 * loops until it is killed and brought back, one that falls silent, one that crashes, one that reports all
 * the time, and one that works and must be left alone.
 */
export type Truth = {
  /** Which instance of an agent runs; null when its process is dead. */
  readonly running: Map<string, string | null>;
  readonly kills: string[];
  readonly starts: string[];
  /** Kills and starts that were asked for again, and were harmless by their key. */
  repeatedKills: number;
  repeatedStarts: number;
  readonly nudges: string[];
  readonly notices: string[];
  /** Ids of reports that were acknowledged. */
  readonly acknowledged: Set<string>;
  crashes: number;
};

const START = instant(1_000_000_000);

/** Hours become seconds, so that a whole ladder fits into four minutes of virtual time. */
const quickPolicies = policiesOf({
  health_monitoring: {
    heartbeat: { interval_seconds: 10, timeout_seconds: 20 },
    intervention: {
      nudge: { max_attempts: 2, interval_seconds: 10 },
      escalation: { timeout_seconds: 15 },
      termination: { cleanup_timeout_seconds: 5 },
    },
    recovery: { backoff_seconds: [5, 10, 20] },
  },
  rules: {
    inquiry_wait: '10s',
    settle: '5s',
    termination_answer: '10s',
    probation: '20s',
    start_wait: '10s',
    incident_close_after: '20s',
    incident_reopen_within: '60s',
  },
});

export class CrashWorld {
  readonly clock: VirtualClock;
  readonly truth: Truth = {
    running: new Map(),
    kills: [],
    starts: [],
    repeatedKills: 0,
    repeatedStarts: 0,
    nudges: [],
    notices: [],
    acknowledged: new Set(),
    crashes: 0,
  };
  private readonly store: Store;
  private readonly plan: CrashPlan;
  /** False: as one of several servers that share the store. */
  private readonly isAlone: boolean;
  private engine: Engine | null = null;
  private ids = 0;
  private correlations = 0;
  private reports: { readonly id: string; isUnderWay: boolean }[] = [];
  /** What a client still has to bring through: it tries again until it is answered. */
  private pending: (() => Promise<void>)[] = [];

  constructor(store: Store, plan: CrashPlan, isAlone: boolean) {
    this.store = store;
    this.plan = plan;
    this.isAlone = isAlone;
    this.clock = new VirtualClock(START, () => plan.quiet());
  }

  /** Holter's supervisor starts it again. */
  async boot(): Promise<void> {
    this.clock.forgetTimers();
    const generation = this.plan.nextGeneration();
    const store = storeOf(this.store, this.plan, generation);
    const engine = new Engine({
      store,
      clock: this.clock,
      policies: quickPolicies,
      executors: [this.host(generation), this.people(generation)],
      sha256: (text) => text,
      newId: () => `c${++this.correlations}`,
      newSecret: () => `k${++this.correlations}`,
      isAlone: this.isAlone,
      onBug: (error) => {
        throw error;
      },
    });
    this.engine = engine;
    for (const report of this.reports) report.isUnderWay = false;
    void engine.start();
    await this.plan.quiet();
  }

  get isDown(): boolean {
    return this.engine === null;
  }

  /** Called by the plan: this instant, nothing of the process goes on. */
  crash(): void {
    this.truth.crashes += 1;
    this.engine = null;
  }

  async read(agentId: string): Promise<Agent | null> {
    return (await this.plan.follow(this.store.load(agentId)))?.agent ?? null;
  }

  start(agentId: string, instanceId: string, spawnKey?: string): void {
    this.truth.running.set(agentId, instanceId);
    this.bringThrough(async () => {
      if (this.truth.running.get(agentId) !== instanceId) return;
      await this.engine?.register({
        ...registrations[agentId as Name],
        agentId,
        instanceId,
        ...(spawnKey !== undefined && { spawnKey }),
      });
    });
  }

  /** A process dies; its executor sees it, and says so until somebody listens. */
  die(agentId: string, signal: string): void {
    this.truth.running.set(agentId, null);
    this.sense(agentId, { kind: 'exited', code: null, signal });
  }

  /** A fact from Holter's own senses, about whatever incarnation is current when it is said first. */
  sense(agentId: string, body: SignalBody): void {
    let incarnation: number | null = null;
    const id = `sense-${++this.ids}`;
    this.bringThrough(async () => {
      incarnation ??= (await this.read(agentId))?.hard.incarnation ?? null;
      if (incarnation !== null)
        await this.engine?.signal({ agentId, incarnation, id, ...body } as Signal, 'holter');
    });
  }

  beat(agentId: string): Promise<void> {
    return this.say(agentId, { kind: 'heartbeat' });
  }

  /** A signal of the agent that is not kept: it is lost when no server listens. */
  private async say(agentId: string, body: SignalBody): Promise<void> {
    const agent = await this.read(agentId);
    if (!agent || !this.truth.running.get(agentId)) return;
    const signal = { agentId, incarnation: agent.hard.incarnation, ...body } as Signal;
    void this.engine?.signal(signal, 'agent').catch(() => undefined);
    await this.plan.quiet();
  }

  /** A hard fact with an id, said again until it is acknowledged: exactly what a client library does. */
  report(agentId: string): void {
    this.reports.push({ id: `${agentId}-report-${++this.ids}`, isUnderWay: false });
  }

  /** The same call with the same result, once more. */
  loop(agentId: string): Promise<void> {
    const callId = `${agentId}-call-${++this.ids}`;
    const input = { command: 'make status' };
    return this.say(agentId, {
      kind: 'call-ended',
      callId,
      tool: 'Bash',
      input,
      isError: false,
      output: 'still building',
    });
  }

  /** One second of the world. */
  async second(): Promise<void> {
    if (this.isDown) await this.boot();
    const pending = this.pending;
    this.pending = [];
    for (const attempt of pending) this.bringThrough(attempt);
    for (const report of this.reports) this.sayReport(report);
    await this.clock.advance(1_000);
  }

  async events(): Promise<readonly HolterEvent[]> {
    const events: HolterEvent[] = [];
    for (let after = 0; ; ) {
      const page = await this.store.readEvents({ after, limit: 500 });
      events.push(...page.map(({ event }) => event));
      const last = page.at(-1);
      if (!last) return events;
      after = last.cursor;
    }
  }

  private bringThrough(attempt: () => Promise<void>): void {
    const engine = this.engine;
    this.pending.push(attempt);
    if (!engine) return;
    void attempt().then(
      () => {
        // Answered by a living process: it need not be said again.
        if (this.engine === engine) this.pending = this.pending.filter((other) => other !== attempt);
      },
      () => undefined,
    );
  }

  private sayReport(report: { readonly id: string; isUnderWay: boolean }): void {
    const engine = this.engine;
    if (!engine || report.isUnderWay || this.truth.acknowledged.has(report.id)) return;
    report.isUnderWay = true;
    const signal: Signal = {
      agentId: 'dora',
      incarnation: 1,
      id: report.id,
      kind: 'blocker',
      text: report.id,
    };
    void engine.signal(signal, 'agent').then(
      (answer) => {
        if (this.engine === engine && answer.kind === 'folded') this.truth.acknowledged.add(report.id);
        report.isUnderWay = false;
      },
      () => undefined,
    );
  }

  /** Starts and stops processes. A kill names its instance, a start its key: neither can hit twice. */
  private host(generation: number): Executor {
    const act = async (effect: Effect): Promise<ActResult> => {
      if (effect.kind === 'nudge') {
        this.truth.nudges.push(effect.id);
        return { kind: 'receipt', outcome: 'seen', detail: 'in its context' };
      }
      if (effect.kind === 'terminate') {
        if (this.truth.running.get(effect.agentId)) this.truth.kills.push(effect.id);
        else this.truth.repeatedKills += 1;
        this.truth.running.set(effect.agentId, null);
        return { kind: 'receipt', outcome: 'done', detail: 'gone' };
      }
      if (effect.kind === 'spawn' && effect.key !== undefined) {
        const start = `${effect.agentId}/${effect.key}`;
        if (this.truth.starts.includes(start)) this.truth.repeatedStarts += 1;
        else {
          this.truth.starts.push(start);
          this.start(effect.agentId, `by ${effect.key}`, effect.key);
        }
        return { kind: 'receipt', outcome: 'done', detail: 'started' };
      }
      return { kind: 'receipt', outcome: 'delivered', detail: 'said' };
    };
    return {
      name: 'host',
      id: 'host',
      kinds: AGENT_EFFECTS,
      act: (effect) => this.plan.through(generation, `act ${effect.kind}`, () => act(effect)),
    };
  }

  private people(generation: number): Executor {
    const act = async (effect: Effect): Promise<ActResult> => {
      this.truth.notices.push(effect.id);
      return { kind: 'receipt', outcome: 'delivered', detail: 'read' };
    };
    return {
      name: 'people',
      id: null,
      kinds: new Set(['notify'] as const),
      act: (effect) => this.plan.through(generation, 'act notify', () => act(effect)),
    };
  }
}

export const NAMES = ['ada', 'bob', 'cal', 'dora', 'eve'] as const;
type Name = (typeof NAMES)[number];

const common: Omit<Registration, 'agentId' | 'instanceId' | 'promises'> = {
  role: 'default',
  group: 'default',
  mode: 'act',
  can: ['nudge', 'terminate', 'spawn'],
  executor: 'host',
};

const beats = { beatEveryMs: milliseconds(10_000) };

const registrations: Readonly<Record<Name, Omit<Registration, 'agentId' | 'instanceId'>>> = {
  ada: { ...common, promises: { tasks: true }, taskId: 't1' },
  bob: { ...common, promises: beats, can: ['nudge'] },
  cal: { ...common, promises: { tasks: true }, taskId: 't2' },
  dora: { ...common, promises: { tasks: true } },
  eve: { ...common, promises: beats },
};
