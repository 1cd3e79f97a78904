/** The five states of seed 000 §1. */
export type HealthState = 'HEALTHY' | 'DEGRADED' | 'STUCK' | 'FAILING' | 'TERMINATED';

/** How bad, for "worst first" and for telling better from worse. */
export const HEALTH_RANK: Readonly<Record<HealthState, number>> = {
  HEALTHY: 0,
  DEGRADED: 1,
  STUCK: 2,
  FAILING: 3,
  TERMINATED: 4,
};

/**
 * Which state may follow which. A living agent may go anywhere; the end is left only by a new start, which
 * enters as HEALTHY (`enroll`).
 */
export const TRANSITIONS: Readonly<Record<HealthState, readonly HealthState[]>> = {
  HEALTHY: ['DEGRADED', 'STUCK', 'FAILING', 'TERMINATED'],
  DEGRADED: ['HEALTHY', 'STUCK', 'FAILING', 'TERMINATED'],
  STUCK: ['HEALTHY', 'DEGRADED', 'FAILING', 'TERMINATED'],
  FAILING: ['HEALTHY', 'DEGRADED', 'STUCK', 'TERMINATED'],
  TERMINATED: ['HEALTHY'],
};
