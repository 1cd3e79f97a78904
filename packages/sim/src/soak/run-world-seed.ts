import { Random } from '../base/random.ts';
import { replayLine, type Scenario } from '../base/scenario.ts';
import type { Counter } from '../coverage/counts.ts';
import { Coverage } from '../coverage/coverage.ts';
import { FAULT_STREAMS, Simulation } from '../simulation/simulation.ts';
import { drawFaults } from '../world/faults.ts';
import { drawScenario } from './draw-scenario.ts';
import type { SeedResult } from './run-seed.ts';

/** How many violations of one seed are told; the rest are most likely the same one again. */
export const TOLD_MAX = 3;

/** One seed of the pure world, checked and counted. */
export function runWorldSeed(seed: number): SeedResult {
  return runWorld(drawScenario(seed));
}

export function runWorld(scenario: Scenario): SeedResult {
  const coverage = new Coverage();
  const simulation = new Simulation(scenario, { witnesses: [coverage] });
  const { world, audit } = simulation;
  const again = replayLine(scenario);
  const thrown = runToEnd(simulation);
  countCast(simulation, coverage.counter);
  return {
    agentHours: scenario.hours * world.agents.length,
    events: world.monitor.inputs,
    violations: [
      ...simulation.violations
        .slice(0, TOLD_MAX)
        .map(({ invariant, agentId, what }) => ({ invariant, what: `${agentId}: ${what}`, again })),
      ...(thrown === null ? [] : [{ invariant: null, what: thrown, again }]),
    ],
    wrongTerminations: audit.audit.executions.wrongTerminations,
    coverage: coverage.counter.toJSON(),
  };
}

/** A core that throws has broken a promise too; the soak goes on with the next seed. */
function runToEnd(simulation: Simulation): string | null {
  try {
    simulation.run(undefined, 1);
    return null;
  } catch (error) {
    return thrown(error);
  }
}

export const thrown = (error: unknown): string =>
  `threw: ${error instanceof Error ? error.message : String(error)}`;

/** Who took part, and which faults struck: each kind has its own stream, so it can be drawn by itself. */
function countCast({ scenario, world }: Simulation, counter: Counter): void {
  for (const { behaviour } of world.agents) counter.add('behaviour', behaviour.name);
  for (const kind of scenario.faults) {
    const alone = { ...scenario, faults: [kind] };
    const struck = drawFaults(alone, (stream) => new Random(scenario.seed, FAULT_STREAMS + stream)).length;
    // Neither the network nor the adapters strike once: they are bad all day.
    counter.add('fault', kind, kind === 'network' || kind === 'adapters' ? 1 : struck);
  }
}
