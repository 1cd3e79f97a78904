import type {
  Agent,
  Enrollment,
  FleetGuard,
  FleetPolicy,
  Input,
  InputBody,
  Instant,
  Policy,
  Registration,
  Soft,
  StallLog,
  Transition,
} from '@holter/core';
import { emptyFleetGuard, enroll, isStall, NO_STALLS, transition, withStall } from '@holter/core';
import { policyFor } from '@holter/server/policy';
import { simPolicies } from '../base/policies.ts';
import type { Stopwatch } from '../base/stopwatch.ts';

/** What the shell needs from the world around it. */
interface MonitorPort {
  /** Time alone could change the verdict on this agent then: come back. */
  wake(slot: number, at: number): void;
  folded(slot: number, at: number, input: InputBody, result: Transition): void;
  enrolled(slot: number, at: number, registration: Registration, result: Enrollment): void;
  stalled(from: number, to: number): void;
}

type Context = { readonly policy: Policy; readonly fleetPolicy: FleetPolicy; groupSize: number };

const TICK_MS = 1_000;
/** Older ones lie before everything that anybody still waits for. */
const DEATHS_MAX = 16;

/**
 * The shell in miniature: it keeps the agents' records, ticks every second when somebody is due, keeps the
 * log of its own stalls, and can be stopped, suspended and restarted. Effects, claims and receipts go
 * through the world, as they go through an outbox in the real one.
 */
export class Monitor {
  private readonly agents: (Agent | undefined)[] = [];
  /** What the store holds of the soft facts; the newest second may be missing there. */
  private readonly stored: (Soft | undefined)[] = [];
  private readonly storedAt: number[] = [];
  private readonly contexts: (Context | undefined)[] = [];
  private readonly groupSizes = new Map<string, number>();
  private readonly groups: string[] = [];
  private readonly wakeAt: number[] = [];
  private readonly dueAt: number[] = [];
  private fleet: FleetGuard = emptyFleetGuard;
  private stalls: StallLog = NO_STALLS;
  private awayFrom = Number.NaN;
  private tickPhase = 0;
  private readonly port: MonitorPort;
  private readonly stopwatch: Stopwatch;
  /** Puts every record through JSON after every input; must change nothing. */
  private readonly isPedantic: boolean;
  awayUntil = 0;
  /** The last ticks of its newest lives, by its own clock: what was only just heard then is lost. */
  readonly deaths: number[] = [];
  inputs = 0;

  constructor(port: MonitorPort, stopwatch: Stopwatch, isPedantic: boolean) {
    this.port = port;
    this.stopwatch = stopwatch;
    this.isPedantic = isPedantic;
  }

  isAway(): boolean {
    return !Number.isNaN(this.awayFrom);
  }

  knows(slot: number): boolean {
    return this.agents[slot] !== undefined;
  }

  agentOf(slot: number): Agent | undefined {
    return this.agents[slot];
  }

  /** How often an executor should look at this agent's process: four times as often while it is not well. */
  probeEveryMs(slot: number): number {
    const agent = this.agents[slot];
    const everyMs = this.contexts[slot]?.policy.probeEveryMs ?? 60_000;
    return agent === undefined || agent.hard.health === 'HEALTHY' ? everyMs : everyMs / 4;
  }

  enroll(slot: number, at: number, registration: Registration): Enrollment {
    const { role, agentId, group } = registration;
    const policy = this.contexts[slot]?.policy ?? policyFor(simPolicies, role, agentId, group);
    const before = this.agents[slot];
    const result = enroll(before ?? null, registration, { at: at as Instant, stalls: this.stalls, policy });
    this.inputs++;
    if (result.kind === 'enrolled') {
      this.contexts[slot] ??= { policy, fleetPolicy: simPolicies.fleet, groupSize: 0 };
      this.groups[slot] = result.agent.hard.group;
      this.keep(slot, before, result.agent, at);
      this.plan(slot, result.agent.hard.wakeAt, at);
    }
    this.port.enrolled(slot, at, registration, result);
    return result;
  }

  /** What every input carries, beside its own moment. */
  get stallLog(): StallLog {
    return this.stalls;
  }

  /** For the few inputs that are not signals. */
  tell(slot: number, at: number, body: InputBody): Transition | undefined {
    return this.fold(slot, { ...body, at: at as Instant, stalls: this.stalls });
  }

  fold(slot: number, input: Input): Transition | undefined {
    const { at } = input;
    const before = this.agents[slot];
    if (before === undefined) return undefined;
    const context = this.contexts[slot] as Context;
    context.groupSize = this.groupSizes.get(this.groups[slot] as string) ?? 0;
    this.stopwatch.start();
    const result = transition(before, this.fleet, input, context);
    this.stopwatch.stop();
    this.inputs++;
    this.fleet = result.fleet;
    this.keep(slot, before, result.agent, at);
    this.plan(slot, result.wakeAt, at);
    this.port.folded(slot, at, input, result);
    return result;
  }

  /** The moment that was asked for has come; the agent may have been heard in between. */
  due(slot: number, at: number): void {
    // An earlier one took its place.
    if (at < (this.dueAt[slot] as number)) return;
    this.dueAt[slot] = Number.POSITIVE_INFINITY;
    const wakeAt = this.wakeAt[slot] as number;
    if (wakeAt <= at) this.fold(slot, { kind: 'tick', at: at as Instant, stalls: this.stalls });
    else this.plan(slot, wakeAt, at);
  }

  private keep(slot: number, before: Agent | undefined, after: Agent, at: number): void {
    const agent = this.isPedantic ? roundTrip(after) : after;
    this.agents[slot] = agent;
    // Hard facts are committed with everything; soft ones alone are flushed at most a second apart.
    if (before?.hard !== agent.hard || at - (this.storedAt[slot] as number) >= TICK_MS) {
      this.stored[slot] = agent.soft;
      this.storedAt[slot] = at;
    }
    const isCounted = before !== undefined && before.hard.health !== 'TERMINATED';
    const counts = agent.hard.health !== 'TERMINATED';
    if (isCounted === counts) return;
    const group = this.groups[slot] as string;
    this.groupSizes.set(group, (this.groupSizes.get(group) ?? 0) + (counts ? 1 : -1));
  }

  private plan(slot: number, wakeAt: number, at: number): void {
    this.wakeAt[slot] = wakeAt;
    if (wakeAt >= Number.MAX_SAFE_INTEGER) return;
    const tickAt = this.tickAfter(Math.max(wakeAt, at + 1));
    if (tickAt >= (this.dueAt[slot] ?? Number.POSITIVE_INFINITY)) return;
    this.dueAt[slot] = tickAt;
    this.port.wake(slot, tickAt);
  }

  private tickAfter(at: number): number {
    return this.tickPhase + Math.ceil((at - this.tickPhase) / TICK_MS) * TICK_MS;
  }

  /** Stops ticking. A second reason to be away only makes it longer. */
  goAway(at: number, forMs: number): void {
    if (this.isAway()) {
      this.awayUntil = Math.max(this.awayUntil, at + forMs);
      return;
    }
    this.awayFrom = this.tickPhase + Math.floor((at - this.tickPhase) / TICK_MS) * TICK_MS;
    // The tick that would have come next comes this much late.
    this.awayUntil = Math.max(this.awayUntil, this.awayFrom + TICK_MS + forMs);
  }

  get lastTickAt(): number {
    return this.awayFrom;
  }

  comeBack(at: number, isStart = false): void {
    // A start is a stall however quick it was, and also when the wall clock was set back meanwhile.
    const from = isStart ? Math.min(this.awayFrom, at - 1) : this.awayFrom;
    this.awayFrom = Number.NaN;
    this.tickPhase = at;
    if (!isStart && !isStall(at - from)) return;
    this.stalls = withStall(this.stalls, from as Instant, at as Instant);
    this.port.stalled(from, at);
  }

  /** A start from what the store holds; due times are planned again, as the clock may show another time. */
  restart(at: number): void {
    this.deaths.push(this.awayFrom);
    if (this.deaths.length > DEATHS_MAX) this.deaths.shift();
    this.reload();
    this.comeBack(at, true);
    for (let slot = 0; slot < this.agents.length; slot++) {
      if (this.agents[slot] === undefined) continue;
      this.dueAt[slot] = Number.POSITIVE_INFINITY;
      this.plan(slot, this.wakeAt[slot] as number, at);
    }
  }

  private reload(): void {
    for (let slot = 0; slot < this.agents.length; slot++) {
      const agent = this.agents[slot];
      if (agent === undefined) continue;
      // What waits to be written waits for a second at most.
      const isFlushed = (this.storedAt[slot] as number) + TICK_MS <= this.awayFrom;
      const soft = isFlushed ? agent.soft : (this.stored[slot] as Soft);
      this.agents[slot] = roundTrip({ soft, hard: agent.hard });
    }
    this.fleet = roundTrip(this.fleet);
    this.stalls = roundTrip(this.stalls);
  }
}

const roundTrip = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
