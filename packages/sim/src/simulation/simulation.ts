import type { Behaviour } from '../agents/behaviour.ts';
import { BEHAVIOURS, drawBehaviour } from '../agents/mix.ts';
import { SimAgent } from '../agents/sim-agent.ts';
import { AuditWitness } from '../audit/audit-witness.ts';
import type { InvariantNumber, Violation } from '../audit/violation.ts';
import { Random } from '../base/random.ts';
import { DAY_START, groupOf, HOUR, type Scenario } from '../base/scenario.ts';
import { noStopwatch, type Stopwatch } from '../base/stopwatch.ts';
import { Checker } from '../checker/checker.ts';
import { CompositeWitness } from '../world/composite-witness.ts';
import { drawFaults } from '../world/faults.ts';
import { injectForgedSignal } from '../world/forged-signals.ts';
import type { Witness } from '../world/witness.ts';
import { World } from '../world/world.ts';
import { Tally } from './tally.ts';

type SimulationOptions = {
  readonly stopwatch?: Stopwatch;
  readonly isPedantic?: boolean;
  /** Others who want to watch. */
  readonly witnesses?: readonly Witness[];
};

/** Streams of chance: agents have their slot, the rest stand far above any slot. */
export const FAULT_STREAMS = 1_000_000;
const CLOCK_STREAMS = 2_000_001;
/** A bad oscillator, or a virtual machine that is not given its time. */
const DRIFT = 0.03;
/** A fleet comes up over five minutes. */
const COME_UP_MS = 5 * 60_000;

/** Kept in full; beyond this many they are only counted. */
const KEPT_MAX = 50;

/** Where a violation happened in its run, for playing it again. */
export type SimViolation = Violation & {
  readonly slot: number;
  readonly trueAt: number;
  /** How many inputs had been folded by then. */
  readonly inputs: number;
};

/** One run: the world, its judges, and its clock. */
export class Simulation {
  readonly scenario: Scenario;
  readonly world: World;
  readonly checker: Checker;
  readonly audit: AuditWitness;
  readonly violations: SimViolation[] = [];
  violationCount = 0;
  readonly tally: Tally;

  constructor(scenario: Scenario, options: SimulationOptions = {}) {
    this.scenario = scenario;
    const report = this.report.bind(this);
    this.audit = new AuditWitness(report);
    this.checker = new Checker({
      report,
      inspectAt: (agent, at) => this.world.inspectAt(agent, at),
      deaths: () => this.world.monitor.deaths,
      isOrdered: ({ name }) => this.audit.audit.isOrdered(name),
    });
    this.tally = new Tally((agent, event) => this.checker.conditionAt(agent, event));
    this.world = new World({
      seed: scenario.seed,
      slots: scenario.agents,
      witness: new CompositeWitness([this.audit, this.checker, this.tally, ...(options.witnesses ?? [])]),
      stopwatch: options.stopwatch ?? noStopwatch,
      isPedantic: options.isPedantic ?? false,
      hasNetworkFaults: scenario.faults.includes('network'),
      hasHonestAdapters: !scenario.faults.includes('adapters'),
      clockRate: this.paceOf(-1),
      noise: injectForgedSignal,
    });
    const faults = drawFaults(scenario, (stream) => new Random(scenario.seed, FAULT_STREAMS + stream));
    for (const fault of faults) this.world.addFault(fault);
    const kept = scenario.slots.length > 0 ? new Set(scenario.slots) : null;
    for (let slot = 0; slot < scenario.agents; slot++)
      if (kept === null || kept.has(slot)) this.addAgent(slot);
  }

  report(invariant: InvariantNumber, agentId: string, at: number, what: string): void {
    this.violationCount++;
    if (this.violations.length >= KEPT_MAX) return;
    const { agents, now: trueAt, monitor } = this.world;
    const about = agents.find(({ name, group }) => name === agentId || group === agentId);
    const slot = about?.slot ?? 0;
    this.violations.push({ invariant, agentId, slot, at, trueAt, what, inputs: monitor.inputs });
  }

  private addAgent(slot: number): void {
    const random = new Random(this.scenario.seed, slot);
    const behaviour = this.behaviourOf(slot, random);
    const profile = random.pick(behaviour.profiles);
    const agent = new SimAgent(slot, groupOf(slot), profile, behaviour, random, this.world);
    agent.haste = this.scenario.haste;
    agent.pace = this.paceOf(slot);
    this.world.add(agent, DAY_START + random.unit() * COME_UP_MS);
  }

  /** How fast a clock runs; the monitor's has the slot before the first. */
  private paceOf(slot: number): number {
    if (!this.scenario.faults.includes('clocks')) return 1;
    return new Random(this.scenario.seed, CLOCK_STREAMS + slot).between(1 - DRIFT, 1 + DRIFT);
  }

  private behaviourOf(slot: number, random: Random): Behaviour {
    const { only, isCast } = this.scenario;
    const unit = random.unit();
    if (only.length === 0) return drawBehaviour(unit);
    const allowed = BEHAVIOURS.filter(({ name }) => only.includes(name));
    const index = isCast ? slot % allowed.length : Math.floor(unit * allowed.length);
    return allowed[index] ?? drawBehaviour(unit);
  }

  get startsAt(): number {
    return DAY_START;
  }

  get endsAt(): number {
    return DAY_START + this.scenario.hours * HOUR;
  }

  /** Runs to the end, or until somebody says stop; `pause` is called after every part of the way. */
  run(pause?: (share: number) => boolean, parts = 100): void {
    const length = this.endsAt - DAY_START;
    for (let part = 1; part <= parts; part++) {
      this.world.runUntil(DAY_START + (length * part) / parts);
      if (pause?.(part / parts) === false) break;
    }
    this.tally.finish(this.world.agents, this.world.holterNow);
    this.audit.finish(this.world.now);
  }
}
