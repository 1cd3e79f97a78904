import { Random } from '../base/random.ts';
import { defaultScenario, type Scenario } from '../base/scenario.ts';

/** Above the streams of agents and of faults, so that drawing a scenario changes no other stream. */
const STREAM = 2_000_000;

const ranges = {
  agentsMin: 10,
  agentsMax: 500,
  hoursMin: 3,
  hoursMax: 24,
  // At most eight times as much trouble as in life: with more, agents have no time to be well in between.
  hasteMax: 8,
  // Two runs in three have all faults; the others show that a rule needs none of them to be right.
  allFaultsShare: 0.67,
  faultKeptShare: 0.6,
  // Now and then everybody in a large fleet loops at once: only then are the fleet's budgets spent.
  stormShare: 0.03,
  /** One run is some seconds of work, so that the end of a soak is near whenever it is asked for. */
  agentHoursMax: 2_500,
} as const;

/** The scenario that belongs to a seed. Sizes spread evenly over their magnitudes: small fleets are as telling as large ones. */
export function drawScenario(seed: number): Scenario {
  if (seed % SIEGE_EVERY === 0) return { ...siege, seed };
  const random = new Random(seed, STREAM);
  return random.chance(ranges.stormShare) ? { ...storm, seed } : drawOrdinary(seed, random);
}

const storm: Omit<Scenario, 'seed'> = {
  agents: 500,
  hours: 2,
  haste: 40,
  faults: ['network', 'stall', 'restart'],
  only: ['looper', 'cured-by-nudge'],
  isCast: false,
  slots: [],
};

/** One seed in ten is a siege: adversaries that work together against their groups. */
const SIEGE_EVERY = 10;

export const siege: Omit<Scenario, 'seed'> = {
  agents: 50,
  hours: 1.5,
  haste: 8,
  // Other faults would only blur who is silent, and why.
  faults: ['noise'],
  only: ['braker', 'looper'],
  isCast: false,
  slots: [],
};

function drawOrdinary(seed: number, random: Random): Scenario {
  const agents = Math.round(spread(random, ranges.agentsMin, ranges.agentsMax));
  const hoursMax = Math.max(ranges.hoursMin, Math.min(ranges.hoursMax, ranges.agentHoursMax / agents));
  const hours = Math.round(random.between(ranges.hoursMin, hoursMax) * 2) / 2;
  const haste = Math.round(spread(random, 1, ranges.hasteMax) * 10) / 10;
  const hasAll = random.chance(ranges.allFaultsShare);
  const faults = defaultScenario.faults.filter(() => hasAll || random.chance(ranges.faultKeptShare));
  return { agents, hours, seed, haste, faults, only: [], isCast: false, slots: [] };
}

const spread = (random: Random, low: number, high: number): number => low * (high / low) ** random.unit();
