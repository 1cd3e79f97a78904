import {
  type Canonical,
  canonicalJson,
  checkpointHash,
  type Effect,
  type Instant,
  type Registration,
  type Signal,
  type SignalBody,
} from '@holter/core';
import type { Clock, DemoParts } from '@holter/server';
import { Act, type AgentEnv } from '../agents/agent-env.ts';
import { perform } from '../agents/perform.ts';
import { SimAgent } from '../agents/sim-agent.ts';
import { Random } from '../base/random.ts';
import { CAST, GROUPS, type Part } from './cast.ts';
import { callThroughBreaker } from './demo-breaker.ts';
import { DEMO_HOST, demoHost } from './demo-host.ts';

/** Its agents are registered as a `holter run` registers its child. */
const DEMO_OPERATOR = { role: 'operator', agentId: null, incarnation: null } as const;

const SEED = 7;
/** Trouble comes this much more often than in life. */
const HASTE = 4;
const COME_UP_MS = 40_000;
const LOOK_MS = 30_000;
const SPOOL_MAX = 200;
const COLLEAGUE_EVERY_MS = 5 * 60_000;
/** So long a decision waits for whoever looks at the page; then a colleague gives it, and the play goes on. */
const COLLEAGUE_AFTER_MS = 90 * 60_000;

/**
 * Simulated agents in real time around the real engine: they speak to it as adapters do, and what it wants done
 * is done to them. Only the agents are not real.
 */
export class DemoWorld implements AgentEnv {
  private readonly clock: Clock;
  private readonly parts: DemoParts;
  private readonly agents = new Map<string, SimAgent>();
  private readonly cast = new Map<string, Part>();
  private readonly host: ReturnType<typeof demoHost>;
  private readonly stops = new Set<() => void>();
  private isOver = false;

  constructor(clock: Clock, parts: DemoParts) {
    this.clock = clock;
    this.parts = parts;
    this.host = demoHost(
      () => parts.engine,
      (agentId) => this.agents.get(agentId),
    );
  }

  begin(): () => void {
    const { engine } = this.parts;
    this.stops.add(engine.addExecutor(this.host));
    CAST.forEach((part, slot) => {
      const random = new Random(SEED, slot);
      const profile = part.profile ?? random.pick(part.behaviour.profiles);
      const group = GROUPS[slot % GROUPS.length] ?? GROUPS[0];
      const agent = new SimAgent(slot, group, profile, part.behaviour, random, this);
      agent.haste = HASTE;
      this.agents.set(agent.name, agent);
      this.cast.set(agent.name, part);
      agent.boot(undefined, random.unit() * COME_UP_MS);
      if (part.hasBreaker) this.stops.add(callThroughBreaker(agent, engine, this.clock));
    });
    this.callColleague();
    return () => {
      this.isOver = true;
      for (const stop of this.stops) stop();
    };
  }

  get now(): number {
    return this.clock.now();
  }

  get holterNow(): number {
    return this.clock.now();
  }

  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void {
    const { life } = agent;
    this.after(delayMs, () => {
      if (agent.life !== life) return;
      if (act === Act.register) return void this.comeUp(agent);
      if (act === Act.nudgeSeen) this.host.seen(data as Effect);
      perform(agent, act, data);
    });
  }

  send(agent: SimAgent, body: SignalBody, id?: string): void {
    this.sendAs(agent, agent.incarnation, body, id);
  }

  sendAs(agent: SimAgent, incarnation: number, body: SignalBody, id?: string): void {
    const signal = { agentId: agent.name, incarnation, ...(id !== undefined && { id }), ...body } as Signal;
    if (!agent.isReachable) {
      if (body.kind !== 'heartbeat' && agent.spool.length < SPOOL_MAX) agent.spool.push(signal);
      return;
    }
    if (signal.kind === 'checkpoint') void this.save(agent, signal).catch(() => undefined);
    else this.tell(signal, 'agent');
  }

  sense(agent: SimAgent, body: SignalBody): void {
    this.tell({ agentId: agent.name, incarnation: agent.incarnation, ...body } as Signal, 'holter');
  }

  probeEveryMs(): number {
    return LOOK_MS;
  }

  /** Nobody here changes names. */
  findSimilar(): null {
    return null;
  }

  /** Nobody here plays two with one name. */
  claimName(): boolean {
    return false;
  }

  /** Breakers are called beside the agents' own lives here (`demo-breaker.ts`): nobody asks on the spot. */
  acquire(): null {
    return null;
  }

  tellBreaker(): void {}

  /** Whoever looks at the page decides, or the colleague. */
  decideLater(): void {}

  truthChanged(agent: SimAgent): void {
    if (!agent.isReachable) return;
    for (const signal of agent.spool.splice(0)) this.tell(signal as Signal, 'agent');
  }

  private async comeUp(agent: SimAgent): Promise<void> {
    const { profile, life } = agent;
    const registration: Registration = {
      agentId: agent.name,
      instanceId: agent.instanceId,
      role: profile.role,
      group: agent.group,
      mode: profile.mode,
      promises: profile.promises,
      can: profile.can,
      executor: DEMO_HOST,
      ...(agent.taskId !== null && { taskId: agent.taskId }),
      ...(agent.spawnKey !== undefined && { spawnKey: agent.spawnKey }),
    };
    const answer = await this.parts.intake.register(registration, DEMO_OPERATOR);
    if (agent.life !== life || answer.kind !== 'enrolled') return;
    if (answer.enrolment.kind !== 'enrolled') {
      agent.plan(20_000, Act.register);
      return;
    }
    agent.incarnation = answer.agent.hard.incarnation;
    agent.begin();
    const part = this.cast.get(agent.name);
    const isFirst = agent.incarnation === 1;
    if (isFirst && part?.troubleAfterMs !== undefined) agent.plan(part.troubleAfterMs, Act.trouble);
  }

  /** A chain that can be read and checked, damaged where the part says so. */
  private async save(agent: SimAgent, signal: Extract<Signal, { kind: 'checkpoint' }>): Promise<void> {
    const { store, sha256 } = this.parts;
    const content = { task: agent.taskId, calls: agent.callCount, next: `write ${agent.word()}` };
    const canonical: Canonical = canonicalJson(content);
    if (canonical.kind !== 'canonical') return;
    const place = {
      agentId: agent.name,
      checkpointId: signal.checkpointId,
      parentId: signal.parentId ?? null,
      taskId: agent.taskId,
      incarnation: agent.incarnation,
      at: this.clock.now() as Instant,
    };
    const hash = checkpointHash({ ...place, content }, sha256);
    const isDamaged = agent.behaviour.checkpointsSkipped !== undefined && agent.checkpointCount % 3 === 0;
    const stored = isDamaged ? canonical.text.replace('write', 'wrote') : canonical.text;
    await store.putCheckpoint({ ...place, hash, content: stored });
    this.tell({ ...signal, hash }, 'agent');
  }

  private tell(signal: Signal, origin: 'agent' | 'holter'): void {
    if (this.isOver) return;
    // What is refused (an elder's word, a busy moment) is lost, as it would be in life.
    void Promise.resolve()
      .then(() =>
        this.parts.intake.take(signal, { role: origin, agentId: signal.agentId, incarnation: null }),
      )
      .catch(() => undefined);
  }

  private callColleague(): void {
    this.after(COLLEAGUE_EVERY_MS, () => {
      for (const agentId of this.agents.keys()) this.maybeDecide(agentId);
      this.callColleague();
    });
  }

  private maybeDecide(agentId: string): void {
    const hard = this.parts.engine.peek(agentId)?.hard;
    const incident = hard?.incident;
    if (!hard || !incident || this.now - incident.openedAt < COLLEAGUE_AFTER_MS) return;
    if (incident.step !== 'human' && incident.step !== 'escalate') return;
    const decision = hard.end ? ('recover' as const) : ('terminate_and_recover' as const);
    const given = { decision, by: 'a colleague (demo)', reason: 'nobody answered', incidentId: incident.id };
    void this.parts.engine.decide(agentId, given).catch(() => undefined);
  }

  private after(ms: number, callback: () => void): void {
    const cancel = this.clock.after(ms, () => {
      this.stops.delete(cancel);
      if (!this.isOver) callback();
    });
    this.stops.add(cancel);
  }
}
