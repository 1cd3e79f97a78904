import type { Soft } from '../record/agent.ts';
import type { Cost, Incident } from '../record/incident.ts';

/** The current counters. The cost of an incident is their growth until it closes. */
export function meterOf({ tokens, costUsd }: Soft): Pick<Incident, 'meter'> {
  return tokens === 0 && costUsd === 0 ? {} : { meter: { tokens, costUsd } };
}

/** A new incarnation counts from zero, so its predecessor's usage is subtracted to keep the growth. */
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
/** Rounds sums of prices to avoid floating-point noise. */
const MICROS = 1_000_000;
