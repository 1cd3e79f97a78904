import type {
  Acquired,
  BreakerAct,
  Decision,
  Effect,
  InputBody,
  Instant,
  Registration,
  SignalBody,
  Transition,
} from '@holter/core';
import { People } from '../actors/people.ts';
import { SimExecutor } from '../actors/sim-executor.ts';
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
import { Outbox } from './outbox.ts';
import type { Packet } from './packet.ts';
import { Plan } from './plan.ts';
import type { Witness } from './witness.ts';
import { judgeWrongly } from './wrong-judge.ts';

/** A client gives up a beat that was not answered for this long. */
const BEAT_KEPT_MS = 30_000;
/** How long it takes to stop a process, from asking it to save up to SIGKILL. */
const STOP_MIN_MS = 500;
const STOP_MAX_MS = 29_000;

type BreakerWord = { readonly name: string; readonly act: BreakerAct };

/** Virtual time, the way of the words, and who does what when. All parts meet here and nowhere else. */
export class World implements AgentEnv, NetworkPort, FaultPort {
  now = 0;
  happenings = 0;
  readonly agents: readonly SimAgent[] = [];
  readonly monitor: Monitor;
  private readonly outbox: Outbox;
  private readonly people: People;
  private readonly schedule: Schedule;
  private readonly bySlot: (SimAgent | undefined)[] = [];
  private readonly witness: Witness;
  private readonly network: Network;
  private readonly faultInjector: FaultInjector;
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
    const after = (agent: SimAgent, ms: number, callback: () => void): void =>
      this.after(agent, ms, callback);
    this.people = new People({ after, decide: (agent, decision) => this.decide(agent, decision) });
    const executor = new SimExecutor(
      {
        after,
        stop: (agent, _effect, stopped) => this.stop(agent, stopped),
        notified: (agent, effect) => this.people.notice(agent, effect),
      },
      options.hasHonestAdapters ? 'honest' : 'lying',
    );
    this.outbox = new Outbox(
      {
        after,
        maybeQueue: (agent, callback) => this.outage.maybeQueue(agent, Plan.call, callback),
        tell: (agent, body) => this.monitor.tell(agent.slot, this.holterNow, body),
        claimed: (agent, effect, isProceeding) =>
          this.witness.claimed(agent, this.holterNow, effect, isProceeding),
      },
      executor,
    );
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
      const effect = data as Effect;
      const receipt = { effect, outcome: 'seen', detail: '', isFromHost: false } as const;
      this.after(agent, 200, () => this.outbox.receive(agent, receipt));
    }
    perform(agent, act, data);
  }

  private happen(act: number, slot: number, data: unknown): void {
    if (act === Plan.fault) return this.faultInjector.strike(data as Fault);
    if (act === Plan.outageEnds) return;
    if (act === Plan.call) return (data as () => void)();
    if (act === Plan.heal) return this.faultInjector.heal(data as string);
    const agent = this.at(slot);
    switch (act) {
      case Plan.deliver:
        return this.deliver(agent, data as Packet);
      case Plan.due:
        return this.due(slot, data as number);
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
    // What the monitor could not see while it was away is not held against it.
    if (this.outage.isAway)
      this.schedule.add(this.outage.backAt + 1_500, agent.slot, Plan.inspect, 0, wantedAt);
    else if (at < wantedAt - 1) this.inspectAt(agent, wantedAt);
    else this.witness.inspect(agent, Math.max(at, wantedAt));
  }

  private after(agent: SimAgent, ms: number, callback: () => void): void {
    this.schedule.add(this.now + ms, agent.slot, Plan.call, 0, callback);
  }

  /** SIGINT, SIGTERM, SIGKILL: after a while the process is gone. */
  private stop(agent: SimAgent, stopped: (isGone: boolean) => void): void {
    const { life } = agent;
    this.after(agent, agent.random.between(STOP_MIN_MS, STOP_MAX_MS), () => {
      if (agent.life === life) agent.die(null, 'SIGKILL');
      stopped(true);
    });
  }

  plan(agent: SimAgent, delayMs: number, act: Act, data?: unknown): void {
    this.schedule.add(this.now + delayMs * agent.pace, agent.slot, act, agent.life, data);
  }

  send(agent: SimAgent, body: SignalBody, id?: string, origin?: 'cli'): void {
    this.network.send(agent, agent.incarnation, body, id, origin);
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

  /** Delivers a forged signal now. */
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

  private folded(agent: SimAgent, at: number, input: InputBody, result: Transition): void {
    const packet = this.packet;
    this.packet = undefined;
    this.witness.folded(agent, at, input, result, packet);
    for (const effect of result.effects) {
      this.outbox.take(agent, effect);
      agent.behaviour.ordered?.(agent, effect);
    }
  }

  acquire(agent: SimAgent, name: string): Acquired | null {
    if (this.outage.isAway || !agent.isReachable) return null;
    return this.askBreaker(agent, { name, act: { kind: 'acquire' } })?.permit ?? null;
  }

  tellBreaker(agent: SimAgent, delayMs: number, name: string, act: BreakerAct): void {
    this.after(agent, delayMs, () => this.reachBreaker(agent, { name, act }));
  }

  decideLater(agent: SimAgent, delayMs: number, decision: Decision): void {
    this.after(agent, delayMs, () => this.decide(agent, decision));
  }

  /** Reports are not repeated: one that does not arrive is lost, and its permit with it. */
  private reachBreaker(agent: SimAgent, word: BreakerWord): void {
    const isLost = this.outage.isAway || (word.act.kind === 'report' && !agent.isReachable);
    if (!isLost) this.askBreaker(agent, word);
  }

  private askBreaker(agent: SimAgent, { name, act }: BreakerWord): Transition | undefined {
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
    const isMine = this.register(agent, registrationOf(agent, agent.instanceId));
    if (isMine) agent.begin();
    else if (agent.isRunning)
      agent.plan(agent.random.between(0.7, 1.3) * parameters.selfRestart.retryMs, Act.register);
  }

  findSimilar(agent: SimAgent): SimAgent | null {
    return findSimilarAgent(agent, this.agents);
  }

  claimName(agent: SimAgent, instanceId: string): boolean {
    return this.register(agent, registrationOf(agent, instanceId));
  }

  takeOver(agent: SimAgent, instanceId: string): void {
    const { spawnKey: _ordered, ...registration } = registrationOf(agent, instanceId);
    const own = { mode: 'observe', can: [], executor: null, source: 'agent' } as const;
    this.register(agent, { ...registration, ...own });
  }

  private register(agent: SimAgent, registration: Registration): boolean {
    if (this.outage.isAway || !agent.canHostReachHolter) return false;
    const result = this.monitor.enroll(agent.slot, this.holterNow, registration);
    // Whoever started it for nothing ends it: another start has been ordered.
    if (
      result.kind === 'refused' &&
      registration.spawnKey !== undefined &&
      registration.instanceId === agent.instanceId
    )
      agent.die(1);
    // Without an answer it asks again, as the same instance.
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

  judgeWrongly(draw: number): void {
    judgeWrongly(this, draw);
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
    this.schedule.add(this.outage.backAt, -1, Plan.outageEnds, 0, undefined);
  }
}
