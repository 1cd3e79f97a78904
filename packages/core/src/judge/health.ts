import { invariant } from '../base/invariant.ts';
import { later } from '../base/time.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt } from '../record/draft.ts';
import { intervalOf, isToReturn, pulseOf } from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import { HEALTH_RANK, type HealthState, TRANSITIONS } from '../vocabulary/health-state.ts';

/** The health state that one finding implies: a `warn` never gets past DEGRADED. */
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
 * Moves the health state to what the findings imply. A worse state takes effect at once; a better one has to last a
 * little, so that an agent at a threshold does not flap.
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
  if (hard.end && (hard.end.byHolter || !isToReturn(hard))) return { target: 'TERMINATED', because: null };
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
  lookAgainAt(draft, settledAt);
  return settledAt <= at;
}
