import {
  type Canonical,
  canonicalJson,
  checkpointHash,
  type Decision,
  type Effect,
  type Instant,
  type Signal,
  type SignalBody,
} from '@holter/core';
import type { Answer, Engine, MemoryStore } from '@holter/server';
import { People } from '../actors/people.ts';
import { Act, type AgentEnv } from '../agents/agent-env.ts';
import { perform } from '../agents/perform.ts';
import { registrationOf } from '../agents/registration.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { findSimilarAgent } from '../agents/similar-agent.ts';
import { Auditor } from '../audit/auditor.ts';
import type { Random } from '../base/random.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { Client } from './client.ts';
import type { ServerPool } from './server-pool.ts';
import { SimExecutor } from './sim-executor.ts';

const ANSWER_MS = 10_000;
const COME_BACK_MS = 5_000;
const LOOK_MS = 30_000;
/** Reports whose fate is followed; agents may have blockers of their own. */
const REPORT = 'report-';

/**
 * Simulated agents around real engines: they speak to whichever server answers, try again when none does, and
 * what Holter wants done is done to them. What is true of them, and what was really done, goes to the audit.
 */
export class EngineWorld implements AgentEnv {
  readonly audit: Auditor;
  readonly executor: SimExecutor;
  readonly agents = new Map<string, SimAgent>();
  private readonly clients = new Map<string, Client>();
  private readonly clock: VirtualClock;
  private readonly store: MemoryStore;
  private readonly random: Random;
  private readonly people: People;
  private readonly servers: () => ServerPool;
  private reportCount = 0;
  private senseCount = 0;

  constructor(clock: VirtualClock, store: MemoryStore, random: Random, servers: () => ServerPool) {
    this.clock = clock;
    this.store = store;
    this.random = random;
    this.servers = servers;
    this.audit = new Auditor((agentId) => {
      const agent = this.agents.get(agentId);
      return agent && { group: agent.group, intervalMs: agent.profile.intervalMs, tellsTime: true };
    });
    this.executor = new SimExecutor(
      {
        get now() {
          return clock.now();
        },
        find: (agentId) => this.agents.get(agentId),
        after: (ms, callback) => void clock.after(ms, callback),
        lastCursor: () => store.lastCursor(),
        noticed: (agent, effect) => this.people.notice(agent, effect),
      },
      this.audit,
    );
    this.people = new People({
      after: (slot, delayMs, act, data) => {
        const agent = [...this.agents.values()].find((other) => other.slot === slot) as SimAgent;
        clock.after(delayMs, () => {
          if (act === 'decide') this.people.decide(agent, data as string);
          else this.people.restart(agent, data as number);
        });
      },
      decide: (agent, decision) => this.decide(agent, decision),
      decideLater: (agent, delayMs, decision) => this.decideLater(agent, delayMs, decision),
    });
  }

  get now(): number {
    return this.clock.now();
  }

  /** As far as agents know; what servers' clocks show is their own affair. */
  get holterNow(): number {
    return this.clock.now();
  }

  add(agent: SimAgent, bootMs: number): void {
    this.agents.set(agent.name, agent);
    const client = new Client(
      {
        after: (ms, callback) => void this.clock.after(ms, callback),
        say: ({ signal, origin }) =>
          this.request((engine) => engine.signal(signal, origin), agent.canBeReached),
        answered: ({ signal }, answer) => this.answered(signal, answer),
      },
      this.random,
    );
    this.clients.set(agent.name, client);
    agent.boot(undefined, bootMs);
  }

  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void {
    const { life } = agent;
    if (act === Act.register) this.executor.processBegan(agent);
    this.clock.after(delayMs, () => {
      if (agent.life !== life) return;
      if (act === Act.register) return void this.comeUp(agent);
      if (act === Act.nudgeSeen) this.tellSeen(data as Effect);
      perform(agent, act, data);
    });
  }

  send(agent: SimAgent, body: SignalBody, id?: string): void {
    this.sendAs(agent, agent.incarnation, body, id);
  }

  sendAs(agent: SimAgent, incarnation: number, body: SignalBody, id?: string): void {
    const signal = { agentId: agent.name, incarnation, ...(id !== undefined && { id }), ...body } as Signal;
    if (body.kind === 'heartbeat' || body.kind === 'pong') {
      if (agent.canReachHolter)
        this.request((engine) => engine.signal(signal, 'agent')).catch(() => undefined);
      return;
    }
    if (signal.kind === 'checkpoint') void this.save(agent, signal);
    else this.clientOf(agent).say({ signal, origin: 'agent' });
  }

  sense(agent: SimAgent, body: SignalBody): void {
    this.senseCount += 1;
    const id = `sense-${this.senseCount}`;
    const signal = { agentId: agent.name, incarnation: agent.incarnation, id, ...body } as Signal;
    if (body.kind !== 'process') return this.clientOf(agent).say({ signal, origin: 'holter' });
    // A look is followed by the next one; it is not worth keeping.
    if (agent.canHostReachHolter)
      this.request((engine) => engine.signal(signal, 'holter')).catch(() => undefined);
  }

  probeEveryMs(): number {
    return LOOK_MS;
  }

  findSimilar(agent: SimAgent): SimAgent | null {
    return findSimilarAgent(agent, this.agents.values());
  }

  /** Nobody here plays two with one name. */
  claimName(): boolean {
    return false;
  }

  /** Breakers are tried in the other world: nobody asks on the spot here. */
  acquire(): null {
    return null;
  }

  tellBreaker(): void {}

  decideLater(agent: SimAgent, delayMs: number, decision: Decision): void {
    this.clock.after(delayMs, () => this.decide(agent, decision));
  }

  truthChanged(agent: SimAgent): void {
    this.audit.truth.became(agent.name, agent.truth, this.now);
    this.audit.truth.reached(agent.name, agent.canReachHolter, this.now);
    if (!agent.isRunning) this.executor.processEnded(agent);
    const client = this.clientOf(agent);
    client.isCut = !agent.canReachHolter;
    if (agent.canReachHolter) client.heal();
  }

  /** A report whose fate can be followed: acknowledged means on record, once. */
  report(): void {
    const agent = this.random.pick([...this.agents.values()]);
    if (!agent.isRunning || agent.incarnation === 0 || !agent.isReachable) return;
    this.reportCount += 1;
    const id = `${REPORT}${this.reportCount}`;
    this.send(agent, { kind: 'blocker', text: id }, id);
  }

  private clientOf(agent: SimAgent): Client {
    return this.clients.get(agent.name) as Client;
  }

  private answered(signal: Signal, answer: Answer): void {
    if (signal.kind !== 'blocker' || !signal.text.startsWith(REPORT)) return;
    if (answer.kind !== 'folded' || answer.rejected !== undefined) return;
    this.audit.records.heard(signal.text, signal.agentId, this.now);
  }

  private async comeUp(agent: SimAgent): Promise<void> {
    const { life } = agent;
    const again = (): void => this.plan(agent, COME_BACK_MS, Act.register);
    if (!agent.isReachable) return again();
    try {
      const answer = await this.request((engine) => engine.register(registrationOf(agent, agent.instanceId)));
      if (agent.life !== life) return;
      if (answer.kind !== 'enrolled' || answer.enrolment.kind !== 'enrolled') return again();
      agent.incarnation = answer.agent.hard.incarnation;
      this.executor.enrolled(agent);
      agent.begin();
    } catch {
      if (agent.life === life) again();
    }
  }

  private async save(agent: SimAgent, signal: Extract<Signal, { kind: 'checkpoint' }>): Promise<void> {
    const content = { task: agent.taskId, calls: agent.callCount };
    const canonical: Canonical = canonicalJson(content);
    if (canonical.kind !== 'canonical') return;
    const place = {
      agentId: agent.name,
      checkpointId: signal.checkpointId,
      parentId: signal.parentId ?? null,
      taskId: agent.taskId,
      incarnation: agent.incarnation,
      at: this.now as Instant,
    };
    const hash = checkpointHash({ ...place, content }, (text) => text);
    await this.store.putCheckpoint({ ...place, hash, content: canonical.text });
    this.clientOf(agent).say({ signal: { ...signal, hash }, origin: 'agent' });
  }

  private tellSeen(effect: Effect): void {
    this.request((engine) => engine.receive(effect, 'seen', 'read')).catch(() => undefined);
  }

  /** Some decide twice, because the page was slow. */
  private decide(agent: SimAgent, decision: Decision): void {
    const times = this.random.chance(0.2) ? 2 : 1;
    for (let time = 0; time < times; time++)
      this.request((engine) => engine.decide(agent.name, decision)).catch(() => undefined);
  }

  /** To any server that listens. Whoever asks one that is suspended waits, and may be heard when it wakes. */
  private async request<T>(call: (engine: Engine) => Promise<T>, hearsAnswer = true): Promise<T> {
    const server = this.servers().pick(this.random);
    if (!server) throw new Error('nobody listens');
    const answer = server.pass().then(() => {
      if (!server.engine) throw new Error('nobody listens any more');
      return call(server.engine);
    });
    return await new Promise<T>((resolve, reject) => {
      const cancel = this.clock.after(ANSWER_MS, () => reject(new Error('no answer in time')));
      answer.then(
        (value) => {
          if (!hearsAnswer) return;
          cancel();
          resolve(value);
        },
        (error) => {
          cancel();
          reject(error);
        },
      );
    });
  }
}
