/** The five states of seed 000 §1. */
export type HealthState = 'HEALTHY' | 'DEGRADED' | 'STUCK' | 'FAILING' | 'TERMINATED';

/** Severity order, for "worst first" and for comparing states. */
export const HEALTH_RANK: Readonly<Record<HealthState, number>> = {
  HEALTHY: 0,
  DEGRADED: 1,
  STUCK: 2,
  FAILING: 3,
  TERMINATED: 4,
};

/**
 * Which state may follow which. A living agent may move to any state. Only a new incarnation leaves TERMINATED, and
 * it starts as HEALTHY (`enroll`).
 */
export const TRANSITIONS: Readonly<Record<HealthState, readonly HealthState[]>> = {
  HEALTHY: ['DEGRADED', 'STUCK', 'FAILING', 'TERMINATED'],
  DEGRADED: ['HEALTHY', 'STUCK', 'FAILING', 'TERMINATED'],
  STUCK: ['HEALTHY', 'DEGRADED', 'FAILING', 'TERMINATED'],
  FAILING: ['HEALTHY', 'DEGRADED', 'STUCK', 'TERMINATED'],
  TERMINATED: ['HEALTHY'],
};
