import type { Draft } from '../draft.ts';
import { emit, want } from '../draft.ts';
import { amend, askFleet, effectIdOf } from './change.ts';
import type { Incident } from './incident.ts';
import { reasonFor } from './terminate.ts';

/** The top of the ladder: Holter does nothing more by itself until somebody decides. */
export function climbHuman(draft: Draft, incident: Incident): void {
  if (incident.phase === 'waiting') return;
  askFleet(draft, incident, 'notice');
}

export function callHuman(draft: Draft, incident: Incident): void {
  const { hard } = draft;
  const message = `${hard.agentId} needs you: ${reasonFor(draft, incident)}. Holter will not act by itself.`;
  want(draft, effectIdOf(incident), {
    kind: 'notify',
    audience: 'operator',
    severity: 'critical',
    message,
    incidentId: incident.id,
  });
  emit(draft, {
    type: 'ATTENTION_RAISED',
    payload: { agentId: hard.agentId, about: String(incident.cause), message },
  });
  amend(draft, { phase: 'waiting', notBefore: undefined });
}
