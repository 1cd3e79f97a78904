import type { InvariantNumber } from '../audit/violation.ts';
import { DAY_START, groupOf, HOUR, type Scenario } from '../base/scenario.ts';
import type { Witness } from '../world/witness.ts';
import { Simulation, type SimViolation } from './simulation.ts';
import { Trace } from './trace.ts';

export type Shrunk = {
  readonly scenario: Scenario;
  readonly violation: SimViolation;
  readonly trace: readonly string[];
  /** How many runs it took. */
  readonly runs: number;
};

/** How a scenario is played: a test has its own way of finding fault. */
type Simulate = (scenario: Scenario, witnesses: readonly Witness[]) => Simulation;

/** No more runs than this: a shorter story is a help, not a duty. */
const RUNS_MAX = 24;

/**
 * Makes a scenario smaller as long as the same invariant still breaks: fewer agents first, then fewer faults.
 * Time is cut to just after the violation. Streams of chance belong to slots and faults, so what is left out
 * does not change what remains.
 */
export function shrink(
  scenario: Scenario,
  violation: SimViolation,
  simulate: Simulate = (candidate, witnesses) => new Simulation(candidate, { witnesses }),
): Shrunk {
  let runs = 0;
  let best = { scenario: scenario, violation };
  const attempt = (candidate: Scenario): boolean => {
    if (runs >= RUNS_MAX) return false;
    runs++;
    const found = firstViolation(simulate(candidate, []), violation.invariant, best.violation.trueAt);
    if (found === undefined) return false;
    best = { scenario: candidate, violation: found };
    return true;
  };

  const group = slotsOfGroup(scenario, violation.slot);
  if (!attempt({ ...scenario, slots: [violation.slot] }) && attempt({ ...scenario, slots: group })) {
    for (const half of halves(group, violation.slot)) if (attempt({ ...scenario, slots: half })) break;
  }
  for (const kind of scenario.faults) {
    attempt({ ...best.scenario, faults: best.scenario.faults.filter((other) => other !== kind) });
  }
  const hours = Math.ceil(((best.violation.trueAt - DAY_START) / HOUR) * 100 + 1) / 100;
  // A shorter day moves the faults; only keep it when the story survives.
  attempt({ ...best.scenario, hours });
  return { ...best, trace: traceOf(simulate, best.scenario, best.violation), runs };
}

function firstViolation(
  simulation: Simulation,
  invariant: InvariantNumber,
  until: number,
): SimViolation | undefined {
  const { violations, world } = simulation;
  const wanted = (): SimViolation | undefined =>
    violations.find((violation) => violation.invariant === invariant);
  // A smaller fleet may break a little later than the whole one.
  const end = Math.min(simulation.endsAt, until + HOUR);
  for (let at = DAY_START; at < end && wanted() === undefined; at += HOUR / 4)
    world.runUntil(Math.min(end, at + HOUR / 4));
  return wanted();
}

/** Runs up to the violation once more, with somebody who writes down what happens to that agent. */
function traceOf(
  simulate: Simulate,
  scenario: Scenario,
  violation: SimViolation,
  linesMax = 30,
): readonly string[] {
  const trace = new Trace(violation.slot, linesMax);
  simulate(scenario, [trace]).world.runUntil(violation.trueAt);
  return trace.lines;
}

function slotsOfGroup({ agents, slots }: Scenario, slot: number): readonly number[] {
  const all = slots.length > 0 ? slots : Array.from({ length: agents }, (_, index) => index);
  return all.filter((other) => groupOf(other) === groupOf(slot));
}

function halves(slots: readonly number[], keep: number): readonly (readonly number[])[] {
  const others = slots.filter((slot) => slot !== keep);
  const middle = Math.ceil(others.length / 2);
  return [others.slice(0, middle), others.slice(middle)].map((half) =>
    [keep, ...half].sort((left, right) => left - right),
  );
}
