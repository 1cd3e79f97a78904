import type {
  Acquired,
  BreakerAct,
  Decision,
  Effect,
  InputBody,
  Instant,
  SignalBody,
  Turn,
} from '@holter/core';
import { People } from '../actors/people.ts';
import { Act, type AgentEnv } from '../agents/agent-env.ts';
import { parameters } from '../agents/parameters.ts';
import { perform } from '../agents/perform.ts';
import { registrationOf } from '../agents/registration.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { findSimilarAgent } from '../agents/similar-agent.ts';
import { Schedule } from '../base/schedule.ts';
import type { Stopwatch } from '../base/stopwatch.ts';
import { FaultInjector, type FaultPort } from './fault-injector.ts';
import type { Fault } from './faults.ts';
import { Monitor } from './monitor.ts';
import { MonitorClock } from './monitor-clock.ts';
import { MonitorOutage } from './monitor-outage.ts';
import { Network, type NetworkPort } from './network.ts';
import { placeBehindQueue } from './outage-queue.ts';
import type { Packet } from './packet.ts';
import { Plan } from './plan.ts';
import { Executor, type Receipt } from './pure-executor.ts';
import { ReceiptEcho } from './receipt-echo.ts';
import type { Witness } from './witness.ts';

/** Beats that found nobody for longer than this were given up by their sender. */
const BEAT_KEPT_MS = 30_000;

type BreakerWord = { readonly name: string; readonly act: BreakerAct };

/** Virtual time, the way of the words, and who does what when. All parts meet here and nowhere else. */
export class World implements AgentEnv, NetworkPort, FaultPort {
  now = 0;
  happenings = 0;
  readonly agents: readonly SimAgent[] = [];
  readonly monitor: Monitor;
  readonly executor: Executor;
  private readonly people: People;
  private readonly schedule: Schedule;
  private readonly bySlot: (SimAgent | undefined)[] = [];
  private readonly witness: Witness;
  private readonly network: Network;
  private readonly faultInjector: FaultInjector;
  private readonly echo = new ReceiptEcho();
  readonly slots: number;
  private readonly injectForgedSignal: (world: World, draw: number) => void;
  private packet: Packet | undefined;
  private sleepsUntil = 0;
  private sleptFrom = 0;
  private readonly clock: MonitorClock;
  private readonly outage: MonitorOutage;

  constructor(options: {
    readonly seed: number;
    /** Slots of the whole fleet, left-out ones included: faults are aimed at slots. */
    readonly slots: number;
    readonly witness: Witness;
    readonly stopwatch: Stopwatch;
    readonly isPedantic: boolean;
    readonly hasNetworkFaults: boolean;
    readonly hasHonestAdapters: boolean;
    /** How many seconds the monitor counts while one passes. */
    readonly clockRate: number;
    readonly noise: (world: World, draw: number) => void;
  }) {
    this.schedule = new Schedule(options.seed);
    this.slots = options.slots;
    this.witness = options.witness;
    this.clock = new MonitorClock(options.clockRate);
    this.network = new Network(this, options.hasNetworkFaults);
    this.faultInjector = new FaultInjector(this);
    this.injectForgedSignal = options.noise;
    this.monitor = new Monitor(
      {
        wake: (slot, at) => this.schedule.add(this.clock.when(at), slot, Plan.due, 0, at),
        folded: (slot, at, input, result) => this.folded(this.at(slot), at, input, result),
        enrolled: (slot, at, registration, result) =>
          this.witness.enrolled(this.at(slot), at, registration, result),
        stalled: (from, to) => this.witness.stalled(from, to),
      },
      options.stopwatch,
      options.isPedantic,
    );
    this.outage = new MonitorOutage(this.monitor, this.clock);
    this.executor = new Executor(
      {
        after: (slot, delayMs, act, data) => this.schedule.add(this.now + delayMs, slot, Plan[act], 0, data),
        notice: (agent, effect) => this.people.notice(agent, effect),
      },
      options.hasHonestAdapters,
    );
    this.people = new People({
      after: (slot, delayMs, act, data) => this.schedule.add(this.now + delayMs, slot, Plan[act], 0, data),
      decide: (agent, decision) => this.decide(agent, decision),
      decideLater: (agent, delayMs, decision) => this.decideLater(agent, delayMs, decision),
    });
  }

  /** What the monitor's own clock shows: the time of everything that it is told, and of all who watch it. */
  get holterNow(): number {
    return this.clock.at(this.now);
  }

  private readonly bring = (at: number, slot: number, act: number, data: unknown): void =>
    this.schedule.add(at, slot, act, 0, data);

  add(agent: SimAgent, startsAt: number): void {
    (this.agents as SimAgent[]).push(agent);
    this.bySlot[agent.slot] = agent;
    const before = this.now;
    this.now = startsAt;
    agent.boot(undefined, 0);
    this.now = before;
  }

  addFault(fault: Fault): void {
    this.schedule.add(fault.at, -1, Plan.fault, 0, fault);
  }

  inspectAt(agent: SimAgent, at: number): void {
    this.schedule.add(this.clock.when(at), agent.slot, Plan.inspect, 0, at);
  }

  at(slot: number): SimAgent {
    return this.bySlot[slot] as SimAgent;
  }

  has(slot: number): boolean {
    return this.bySlot[slot] !== undefined;
  }

  runUntil(until: number): void {
    const { schedule } = this;
    while (schedule.next(until)) {
      this.now = schedule.nowAt;
      this.happenings++;
      // Whatever else falls on the moment of its return finds the monitor back.
      this.outage.endBy(this.now, this.bring);
      const act = schedule.nowAct;
      if (act < 100) this.live(this.at(schedule.nowSlot), act as Act, schedule.nowLife, schedule.nowData);
      else this.happen(act, schedule.nowSlot, schedule.nowData);
    }
    this.now = until;
  }

  private live(agent: SimAgent, act: Act, life: number, data: unknown): void {
    if (agent.life !== life) return;
    if (this.now < this.sleepsUntil) {
      // The lid is closed. A timer that stood still goes on afterwards; what waited for the wall clock is due.
      const restMs = Math.min(this.now - this.sleptFrom, agent.profile.intervalMs);
      this.schedule.add(this.sleepsUntil + restMs * agent.random.unit(), agent.slot, act, life, data);
      return;
    }
    if (act === Act.register) return this.comeUp(agent);
    if (act === Act.nudgeSeen && agent.canReachHolter) {
      const receipt: Receipt = {
        effect: data as Effect,
        outcome: 'seen',
        detail: '',
        isFromHost: false,
      };
      this.schedule.add(this.now + 200, agent.slot, Plan.receipt, 0, receipt);
    }
    perform(agent, act, data);
  }

  private happen(act: number, slot: number, data: unknown): void {
    if (act === Plan.fault) return this.faultInjector.strike(data as Fault);
    if (act === Plan.back) return;
    if (act === Plan.heal) return this.faultInjector.heal(data as string);
    const agent = this.at(slot);
    switch (act) {
      case Plan.deliver:
        return this.deliver(agent, data as Packet);
      case Plan.due:
        return this.due(slot, data as number);
      case Plan.claim:
        return this.claim(agent, data as Effect);
      case Plan.receipt:
        return this.receive(agent, data as Receipt);
      case Plan.kill: {
        const { effect, life } = data as { effect: Effect; life: number };
        return this.executor.killed(agent, effect, life);
      }
      case Plan.decide:
        return this.people.decide(agent, data as string);
      case Plan.restart:
        return this.people.restart(agent, data as number);
      case Plan.visit:
        return this.decide(agent, data as Decision);
      case Plan.breaker:
        return this.reachBreaker(agent, data as BreakerWord);
      case Plan.inspect:
        return this.inspect(agent, data as number);
    }
  }

  /** A moment that was planned by the monitor's clock, which may have been set back since. */
  private due(slot: number, dueAt: number): void {
    if (this.outage.isAway) return this.schedule.add(this.outage.backAt, slot, Plan.due, 0, dueAt);
    const at = this.holterNow;
    if (at < dueAt - 1) this.schedule.add(this.clock.when(dueAt), slot, Plan.due, 0, dueAt);
    else this.monitor.due(slot, Math.max(at, dueAt));
  }

  private inspect(agent: SimAgent, wantedAt: number): void {
    const at = this.holterNow;
    // While nobody looks, nobody can be blamed for not seeing.
    if (this.outage.isAway)
      this.schedule.add(this.outage.backAt + 1_500, agent.slot, Plan.inspect, 0, wantedAt);
    else if (at < wantedAt - 1) this.inspectAt(agent, wantedAt);
    else this.witness.inspect(agent, Math.max(at, wantedAt));
  }

  private receive(agent: SimAgent, receipt: Receipt): void {
    if (this.outage.maybeQueue(agent, Plan.receipt, receipt)) return;
    const { isFromHost, ...told } = receipt;
    if (isFromHost && !agent.canHostReachHolter) return this.executor.reportLater(agent, receipt);
    // Whatever time alone would do is done first, so that what follows is the receipt's doing.
    this.monitor.tell(agent.slot, this.holterNow, { kind: 'tick' });
    this.monitor.tell(agent.slot, this.holterNow, { kind: 'receipt', ...told });
    // It can't know that it was heard.
    if (isFromHost && !agent.canHostBeReached) this.executor.reportLater(agent, receipt);
  }

  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void {
    this.schedule.add(this.now + delayMs * agent.pace, agent.slot, act, agent.life, data);
  }

  send(agent: SimAgent, body: SignalBody, id?: string): void {
    this.network.send(agent, agent.incarnation, body, id);
  }

  sendAs(agent: SimAgent, incarnation: number, body: SignalBody, id?: string): void {
    this.network.send(agent, incarnation, body, id);
  }

  sense(agent: SimAgent, body: SignalBody): void {
    this.network.sense(agent, body);
  }

  probeEveryMs(agent: SimAgent): number {
    return this.monitor.probeEveryMs(agent.slot);
  }

  /** For the noise: a word that nobody should believe, delivered now. */
  injectForged(agent: SimAgent, packet: Packet): void {
    if (this.outage.isAway || !this.monitor.knows(agent.slot)) return;
    // Whatever time alone would do is done first, so that what follows is the word's doing.
    this.monitor.tell(agent.slot, this.holterNow, { kind: 'tick' });
    this.fold(agent, packet);
  }

  private deliver(agent: SimAgent, packet: Packet): void {
    const { monitor } = this;
    if (this.outage.isAway) {
      const isBeat = packet.signal.kind === 'heartbeat' || packet.signal.kind === 'process';
      if (isBeat && this.outage.backAt - this.now > BEAT_KEPT_MS) return;
      this.outage.maybeQueue(agent, Plan.deliver, packet);
      return;
    }
    if (!monitor.knows(agent.slot)) return;
    const queued = placeBehindQueue(agent, this.now, packet);
    if (queued !== null) return this.deliverAt(agent, agent.drainedAt, queued);
    this.fold(agent, packet);
  }

  private fold(agent: SimAgent, packet: Packet): void {
    this.witness.delivering(agent, this.holterNow, packet);
    this.packet = packet;
    this.monitor.fold(agent.slot, {
      kind: 'signal',
      at: this.holterNow as Instant,
      stalls: this.monitor.stallLog,
      signal: packet.signal,
      origin: packet.origin,
    });
  }

  private folded(agent: SimAgent, at: number, input: InputBody, result: Turn): void {
    const packet = this.packet;
    this.packet = undefined;
    this.witness.folded(agent, at, input, result, packet);
    for (const effect of result.effects) {
      this.executor.take(agent, effect);
      const echo = this.echo.behind(agent, effect);
      if (echo !== null) this.schedule.add(this.now + 50, agent.slot, Plan.receipt, 0, echo);
      agent.behaviour.ordered?.(agent, effect);
    }
  }

  private claim(agent: SimAgent, effect: Effect): void {
    if (this.outage.maybeQueue(agent, Plan.claim, effect)) return;
    if (!this.executor.canAsk(agent, effect)) return this.executor.tryLater(agent, effect);
    const evidence = this.executor.evidence(agent, effect);
    const folded = this.monitor.tell(agent.slot, this.holterNow, {
      kind: 'claim',
      effect,
      evidence,
    });
    if (!this.executor.hearsAnswer(agent, effect)) return this.executor.tryLater(agent, effect);
    const isProceeding = folded?.claim === 'proceed';
    this.witness.claimed(agent, this.holterNow, effect, isProceeding);
    if (isProceeding) this.executor.perform(agent, effect);
  }

  acquire(agent: SimAgent, name: string): Acquired | null {
    if (this.outage.isAway || !agent.isReachable) return null;
    return this.askBreaker(agent, { name, act: { kind: 'acquire' } })?.permit ?? null;
  }

  tellBreaker(agent: SimAgent, delayMs: number, name: string, act: BreakerAct): void {
    this.schedule.add(this.now + delayMs, agent.slot, Plan.breaker, 0, { name, act });
  }

  decideLater(agent: SimAgent, delayMs: number, decision: Decision): void {
    this.schedule.add(this.now + delayMs, agent.slot, Plan.visit, 0, decision);
  }

  /** Nobody sends a report twice: one that finds no way is lost, and its permit with it. */
  private reachBreaker(agent: SimAgent, word: BreakerWord): void {
    const isLost = this.outage.isAway || (word.act.kind === 'report' && !agent.isReachable);
    if (!isLost) this.askBreaker(agent, word);
  }

  private askBreaker(agent: SimAgent, { name, act }: BreakerWord): Turn | undefined {
    const roll = agent.random.unit();
    return this.monitor.tell(agent.slot, this.holterNow, { kind: 'breaker', name, act, roll });
  }

  decide(agent: SimAgent, decision: Decision): void {
    if (this.outage.isAway) return;
    // Whatever time alone would do is done first, so that what follows is the decision's doing.
    this.monitor.tell(agent.slot, this.holterNow, { kind: 'tick' });
    this.witness.deciding(agent, this.holterNow, decision);
    this.monitor.tell(agent.slot, this.holterNow, { kind: 'decision', decision });
  }

  private comeUp(agent: SimAgent): void {
    const isMine = this.register(agent, agent.instanceId);
    if (isMine) agent.begin();
    else agent.plan(agent.random.between(0.7, 1.3) * parameters.selfRestart.retryMs, Act.register);
  }

  findSimilar(agent: SimAgent): SimAgent | null {
    return findSimilarAgent(agent, this.agents);
  }

  claimName(agent: SimAgent, instanceId: string): boolean {
    return this.register(agent, instanceId);
  }

  private register(agent: SimAgent, instanceId: string): boolean {
    if (this.outage.isAway || !agent.canHostReachHolter) return false;
    const result = this.monitor.enroll(agent.slot, this.holterNow, registrationOf(agent, instanceId));
    // Whoever does not hear the answer asks again, as the same instance.
    if (result.kind === 'refused' || !agent.canHostBeReached) return false;
    agent.incarnation = result.agent.hard.incarnation;
    return true;
  }

  /** A cut that healed lets the client's spool go. */
  truthChanged(agent: SimAgent): void {
    if (agent.isReachable) this.network.flush(agent);
    this.witness.truthChanged(agent, this.holterNow);
  }

  deliverAt(agent: SimAgent, at: number, packet: Packet): void {
    this.schedule.add(at, agent.slot, Plan.deliver, 0, packet);
  }

  healAt(at: number, group: string): void {
    this.schedule.add(at, -1, Plan.heal, 0, group);
  }

  noise(draw: number): void {
    this.injectForgedSignal(this, draw);
  }

  stepWall(byMs: number): void {
    this.clock.stepWall(byMs);
  }

  sleep(forMs: number): void {
    this.sleepsUntil = this.now + forMs;
    this.sleptFrom = this.now;
  }

  leave(forMs: number, isReload: boolean): void {
    this.outage.leave(this.now, forMs, isReload);
    this.schedule.add(this.outage.backAt, -1, Plan.back, 0, undefined);
  }
}
