import { Random } from '../base/random.ts';
import { Counter } from '../coverage/counts.ts';
import { mailReplayLine, runMailSeed } from '../mail/mail-simulation.ts';
import { NOTHING } from './run-engine-seed.ts';
import type { SeedResult } from './run-seed.ts';
import { TOLD_MAX, thrown } from './run-world-seed.ts';

/** Above all other streams. */
const STREAM = 4_000_000;

/** One seed of the real post office, with agents that have nothing but a mailbox. */
export async function runMailSoakSeed(seed: number): Promise<SeedResult> {
  const random = new Random(seed, STREAM);
  const scenario = { seed, agents: 4 + random.below(9), hours: 2 + random.below(7) };
  const again = mailReplayLine(scenario);
  const run = await runMailSeed(scenario).catch((error: unknown) => thrown(error));
  if (typeof run === 'string') return { ...NOTHING, violations: [{ invariant: null, what: run, again }] };
  const counter = new Counter();
  for (const [what, count] of run.seen) counter.add('mail', what, count);
  return {
    ...NOTHING,
    agentHours: scenario.agents * scenario.hours,
    events: run.events,
    violations: run.violations
      .slice(0, TOLD_MAX)
      .map(({ invariant, agentId, what }) => ({ invariant, what: `${agentId}: ${what}`, again })),
    coverage: counter.toJSON(),
  };
}
