import type { Soft } from '../record/agent.ts';
import type { Cost, Incident } from '../record/incident.ts';

/** The counters as they stand: what an incident cost is what they grow by until it closes. */
export function meterOf({ tokens, costUsd }: Soft): Pick<Incident, 'meter'> {
  return tokens === 0 && costUsd === 0 ? {} : { meter: { tokens, costUsd } };
}

/** A new start counts from zero: what its predecessor has used is taken off, so that the growth is kept. */
export function meterAcross({ meter = NOTHING }: Incident, predecessor: Soft): Cost {
  return { tokens: meter.tokens - predecessor.tokens, costUsd: meter.costUsd - predecessor.costUsd };
}

export function costOf({ meter = NOTHING }: Incident, { tokens, costUsd }: Soft): Cost {
  return {
    tokens: Math.max(0, tokens - meter.tokens),
    costUsd: Math.max(0, Math.round((costUsd - meter.costUsd) * MICROS) / MICROS),
  };
}

const NOTHING: Cost = { tokens: 0, costUsd: 0 };
/** Sums of prices end in a tail of digits that nobody paid. */
const MICROS = 1_000_000;
