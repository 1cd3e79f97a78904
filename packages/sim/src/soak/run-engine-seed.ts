import { Random } from '../base/random.ts';
import { Counter } from '../coverage/counts.ts';
import {
  defaultEngineScenario,
  type EngineScenario,
  engineReplayLine,
  runEngineSeed,
} from '../engine/engine-simulation.ts';
import type { SeedResult } from './run-seed.ts';
import { TOLD_MAX, thrown } from './run-world-seed.ts';

/** Above the streams of agents, of faults and of the world's own drawing. */
const STREAM = 3_000_000;

export const NOTHING: SeedResult = {
  agentHours: 0,
  events: 0,
  violations: [],
  wrongTerminations: 0,
  coverage: {},
};

/** One seed of the real engine, with a fleet that it can carry in seconds. */
export async function runEngineSoakSeed(seed: number): Promise<SeedResult> {
  const random = new Random(seed, STREAM);
  const agents = 8 + random.below(25);
  const hours = 5 + random.below(4);
  const scenario: EngineScenario = { ...defaultEngineScenario, seed, agents, hours };
  const again = engineReplayLine(scenario);
  const run = await runEngineSeed(scenario).catch((error: unknown) => thrown(error));
  if (typeof run === 'string') return { ...NOTHING, violations: [{ invariant: null, what: run, again }] };
  const counter = new Counter();
  for (const [kind, count] of run.struck) counter.add('engine fault', kind, count);
  for (const [type, count] of run.seen) counter.add('event', type, count);
  for (const where of run.deaths) counter.add('server killed', where);
  return {
    agentHours: run.agentHours,
    events: run.events,
    violations: run.violations
      .slice(0, TOLD_MAX)
      .map(({ invariant, agentId, what }) => ({ invariant, what: `${agentId}: ${what}`, again })),
    wrongTerminations: run.wrongTerminations,
    coverage: counter.toJSON(),
  };
}
