import {
  canonicalJson,
  checkpointHash,
  type Decision,
  type Effect,
  type Instant,
  type ReceiptOutcome,
  type Signal,
  type SignalBody,
} from '@holter/core';
import type { Clock, Store } from '@holter/server';
import { People } from '../actors/people.ts';
import type { Honesty } from '../actors/sim-executor.ts';
import { Act, type AgentEnv } from '../agents/agent-env.ts';
import { FAKE_HASH } from '../agents/checkpoint-faker.ts';
import { perform } from '../agents/perform.ts';
import { registrationOf } from '../agents/registration.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { findSimilarAgent } from '../agents/similar-agent.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Random } from '../base/random.ts';
import { Client } from './client.ts';
import type { Door } from './door.ts';
import { SimHost } from './sim-host.ts';

const ANSWER_MS = 10_000;
const REGISTER_AGAIN_MS = 5_000;
const PROBE_MS = 30_000;
/** Of a behaviour whose checkpoints can't be read, every third is damaged in the store. */
const DAMAGED_EVERY = 3;

/** A server that takes requests; a suspended one when it goes on, a dead one never. */
type Server = { readonly door: Door | null; pass(): Promise<void> };

type EngineWorldOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Pick<Store, 'putCheckpoint'>;
  /** The newest event of the log, which dates executions for the audit. */
  readonly lastCursor?: () => Promise<number>;
  readonly sha256: (text: string) => string;
  readonly honesty: Honesty;
  /** What is told of the truth and of executions; the demo has none. */
  readonly audit: Auditor | null;
  /** A server that takes requests, if there is one. */
  readonly pickServer: () => Server | undefined;
  /** The one executor that acts for all agents; without it each has the one of its host. */
  readonly executorId?: string;
  /** The agent has registered and begins to work. */
  readonly begun?: (agent: SimAgent) => void;
  /** Holter has answered that it accepted this signal. */
  readonly acknowledged?: (signal: Signal) => void;
};

/**
 * Simulated agents around real engines. Their requests go to any server that listens and are repeated until they
 * are answered; effects are executed on the simulated agents.
 */
export class EngineWorld implements AgentEnv {
  readonly host: SimHost;
  readonly agents = new Map<string, SimAgent>();
  private readonly clients = new Map<string, Client>();
  private readonly options: EngineWorldOptions;
  private readonly people: People;
  private senseCount = 0;

  constructor(options: EngineWorldOptions) {
    this.options = options;
    const { clock, audit, honesty, lastCursor = async () => 0 } = options;
    this.people = new People({
      after: (_agent, ms, callback) => void clock.after(ms, callback),
      decide: (agent, decision) => this.decide(agent, decision),
    });
    this.host = new SimHost(
      {
        get now() {
          return clock.now();
        },
        find: (agentId) => this.agents.get(agentId),
        after: (ms, callback) => void clock.after(ms, callback),
        lastCursor,
        notified: (agent, effect) => this.people.notice(agent, effect),
        receive: (effect, { outcome, detail }) => this.receive(effect, outcome, detail),
      },
      audit,
      honesty,
    );
  }

  get now(): number {
    return this.options.clock.now();
  }

  /** As far as agents know: the clocks of servers may differ. */
  get holterNow(): number {
    return this.now;
  }

  add(agent: SimAgent, bootMs: number): void {
    this.agents.set(agent.name, agent);
    const { clock, random } = this.options;
    const client = new Client(
      {
        after: (ms, callback) => void clock.after(ms, callback),
        say: ({ signal, origin }) => this.request((door) => door.signal(signal, origin), agent.canBeReached),
        answered: ({ signal }, isAccepted) => {
          if (isAccepted) this.options.acknowledged?.(signal);
        },
      },
      random,
    );
    this.clients.set(agent.name, client);
    agent.boot(undefined, bootMs);
  }

  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void {
    const { life } = agent;
    if (act === Act.register) this.host.processBegan(agent);
    this.options.clock.after(delayMs, () => {
      if (agent.life !== life) return;
      if (act === Act.register) return void this.register(agent);
      if (act === Act.nudgeSeen) this.receive(data as Effect, 'seen', 'read');
      perform(agent, act, data);
    });
  }

  send(agent: SimAgent, body: SignalBody, id?: string, origin?: 'cli'): void {
    this.sendAs(agent, agent.incarnation, body, id, origin);
  }

  sendAs(
    agent: SimAgent,
    incarnation: number,
    body: SignalBody,
    id?: string,
    origin: 'agent' | 'cli' = 'agent',
  ): void {
    const signal = { agentId: agent.name, incarnation, ...(id !== undefined && { id }), ...body } as Signal;
    if (body.kind === 'heartbeat' || body.kind === 'pong') {
      if (agent.canReachHolter) this.request((door) => door.signal(signal, 'agent')).catch(() => undefined);
      return;
    }
    if (signal.kind === 'checkpoint' && signal.hash !== FAKE_HASH)
      void this.save(agent, signal).catch(() => undefined);
    else this.clientOf(agent).say({ signal, origin });
  }

  sense(agent: SimAgent, body: SignalBody): void {
    this.senseCount += 1;
    const id = `sense-${this.senseCount}`;
    const signal = { agentId: agent.name, incarnation: agent.incarnation, id, ...body } as Signal;
    if (body.kind !== 'process') return this.clientOf(agent).say({ signal, origin: 'holter' });
    // A probe is followed by the next one, so it is not repeated.
    if (agent.canHostReachHolter)
      this.request((door) => door.signal(signal, 'holter')).catch(() => undefined);
  }

  probeEveryMs(): number {
    return PROBE_MS;
  }

  findSimilar(agent: SimAgent): SimAgent | null {
    return findSimilarAgent(agent, this.agents.values());
  }

  /** Two processes with one name are played in the pure world only. */
  claimName(): boolean {
    return false;
  }

  takeOver(): void {}

  /** Breakers need an answer on the spot, which only the pure world gives. */
  acquire(): null {
    return null;
  }

  tellBreaker(): void {}

  decideLater(agent: SimAgent, delayMs: number, decision: Decision): void {
    this.options.clock.after(delayMs, () => this.decide(agent, decision));
  }

  truthChanged(agent: SimAgent): void {
    const { audit } = this.options;
    audit?.truth.became(agent.name, agent.truth, this.now);
    audit?.truth.reached(agent.name, agent.canReachHolter, this.now);
    if (!agent.isRunning) this.host.processEnded(agent);
    const client = this.clientOf(agent);
    client.isCut = !agent.canReachHolter;
    if (agent.canReachHolter) client.heal();
  }

  private clientOf(agent: SimAgent): Client {
    return this.clients.get(agent.name) as Client;
  }

  private async register(agent: SimAgent): Promise<void> {
    const { life } = agent;
    const again = (): void => this.plan(agent, REGISTER_AGAIN_MS, Act.register);
    if (!agent.isReachable) return again();
    const { executorId = agent.executor, begun } = this.options;
    const registration = { ...registrationOf(agent, agent.instanceId), executor: executorId };
    try {
      const incarnation = await this.request((door) => door.register(registration));
      if (agent.life !== life) return;
      // Whoever started it for nothing ends it: another start has been ordered.
      if (incarnation === null) return agent.spawnKey === undefined ? again() : agent.die(1);
      agent.incarnation = incarnation;
      this.host.registered(agent);
      agent.begin();
      begun?.(agent);
    } catch {
      if (agent.life === life) again();
    }
  }

  private async save(agent: SimAgent, signal: Extract<Signal, { kind: 'checkpoint' }>): Promise<void> {
    const content = { task: agent.taskId, calls: agent.callCount, next: `write ${agent.word()}` };
    const canonical = canonicalJson(content);
    if (canonical.kind !== 'canonical') return;
    const place = {
      agentId: agent.name,
      checkpointId: signal.checkpointId,
      parentId: signal.parentId ?? null,
      taskId: agent.taskId,
      incarnation: agent.incarnation,
      at: this.now as Instant,
    };
    const hash = checkpointHash({ ...place, content }, this.options.sha256);
    const isDamaged =
      agent.behaviour.checkpointsSkipped !== undefined && agent.checkpointCount % DAMAGED_EVERY === 0;
    const stored = isDamaged ? canonical.text.replace('write', 'wrote') : canonical.text;
    await this.options.store.putCheckpoint({ ...place, hash, content: stored });
    if (!isDamaged) this.options.audit?.authority.wrote(agent.name, place.taskId, this.now);
    this.clientOf(agent).say({ signal: { ...signal, hash }, origin: 'agent' });
  }

  private receive(effect: Effect, outcome: ReceiptOutcome, detail: string): void {
    this.request((door) => door.receive(effect, outcome, detail)).catch(() => undefined);
  }

  /** Some decide twice, because the page was slow. */
  private decide(agent: SimAgent, decision: Decision): void {
    const times = this.options.random.chance(0.2) ? 2 : 1;
    for (let time = 0; time < times; time++)
      this.request((door) => door.decide(agent.name, decision)).catch(() => undefined);
  }

  /** Rejects when no answer comes in time; a suspended server may still fold the request when it resumes. */
  private async request<T>(call: (door: Door) => Promise<T>, hearsAnswer = true): Promise<T> {
    const server = this.options.pickServer();
    if (!server) throw new Error('no server listens');
    const answer = server.pass().then(() => {
      if (!server.door) throw new Error('the server has stopped');
      return call(server.door);
    });
    return await new Promise<T>((resolve, reject) => {
      const cancel = this.options.clock.after(ANSWER_MS, () => reject(new Error('no answer in time')));
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
