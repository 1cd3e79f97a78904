import { forget } from './copy-hard.ts';
import type { Draft } from './draft.ts';
import { emit, wake } from './draft.ts';
import type { Finding } from './finding.ts';
import { FINDING_KINDS } from './finding.ts';
import { invariant } from './invariant.ts';
import { intervalOf, pulseOf } from './liveness.ts';
import { later } from './time.ts';

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

/** What one finding means for the state: `warn` never gets past DEGRADED, whatever it is about. */
export function stateOf({ kind, severity }: Finding): HealthState {
  if (severity === 'warn') return 'DEGRADED';
  switch (FINDING_KINDS[kind].about) {
    case 'attention':
      return 'DEGRADED';
    case 'progress':
      return 'STUCK';
    case 'liveness':
    case 'failure':
      return 'FAILING';
  }
}

/**
 * Moves the health state to what the findings say. Worse is believed at once; better has to last a little,
 * so that an agent at an edge does not flap.
 */
export function settleHealth(draft: Draft): void {
  const { hard } = draft;
  const { target, because } = targetOf(draft);
  if (hard.health === target) {
    forget(hard, 'settlingSince');
    return;
  }
  const isBetter = HEALTH_RANK[target] < HEALTH_RANK[hard.health];
  if (isBetter && !hasSettled(draft)) return;
  becomeHealth(
    draft,
    target,
    because ? `${because.kind} (${because.severity})` : reasonWithoutFinding(target),
    because?.evidence ?? '',
  );
}

export function becomeHealth(draft: Draft, to: HealthState, reason: string, evidence: string): void {
  const { hard, at } = draft;
  const from = hard.health;
  invariant(TRANSITIONS[from].includes(to), `health may not go from ${from} to ${to}`);
  hard.health = to;
  hard.healthSince = at;
  forget(hard, 'settlingSince');
  emit(draft, {
    type: 'HEALTH_STATE_CHANGED',
    payload: { agentId: hard.agentId, from, to, reason, evidence },
  });
}

const reasonWithoutFinding = (target: HealthState): string =>
  target === 'TERMINATED' ? 'the agent has ended' : 'nothing found any more';

function targetOf({ hard, found }: Draft): { target: HealthState; because: Finding | null } {
  if (hard.end && (hard.end.how !== 'crash' || hard.end.byHolter))
    return { target: 'TERMINATED', because: null };
  let target: HealthState = 'HEALTHY';
  let because: Finding | null = null;
  for (const finding of [...found, ...hard.points]) {
    const state = stateOf(finding);
    if (HEALTH_RANK[state] > HEALTH_RANK[target]) {
      target = state;
      because = finding;
    }
  }
  return { target, because };
}

function hasSettled(draft: Draft): boolean {
  const { hard, at, policy } = draft;
  hard.settlingSince ??= at;
  const settleMs =
    pulseOf(hard) === 'beats' ? Math.min(policy.settleMs, intervalOf(hard, policy)) : policy.settleMs;
  const settledAt = later(hard.settlingSince, settleMs);
  wake(draft, settledAt);
  return settledAt <= at;
}
