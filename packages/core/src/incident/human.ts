import type { Draft } from '../record/draft.ts';
import { emit } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { amend, askFleet, wantStep } from './change.ts';
import { sentence } from './message.ts';
import { actFindings, leadOf } from './reason.ts';

/** The top of the ladder: Holter does nothing more until a person decides. */
export function climbHuman(draft: Draft, incident: Incident): void {
  if (incident.phase === 'waiting') return;
  askFleet(draft, incident, 'notice');
}

function whyHuman({ hard }: Draft, { order, cause }: Incident): string {
  if (hard.end && order?.from)
    return `it did not start from ${order.from.id}, the checkpoint that was picked`;
  const evidence = leadOf(actFindings(hard))?.evidence;
  if (evidence !== undefined) return evidence;
  if (hard.end) return `it stays down (${hard.end.detail})`;
  return order ? `it could not be stopped, as ${order.by} ordered` : String(cause);
}

export function callHuman(draft: Draft, incident: Incident): void {
  const { hard } = draft;
  const message = `${hard.agentId} needs you: ${sentence(whyHuman(draft, incident))} Holter will not act by itself.`;
  if (!incident.acknowledged) {
    wantStep(draft, incident, {
      kind: 'notify',
      audience: 'operator',
      severity: 'critical',
      message,
      incidentId: incident.id,
    });
  }
  emit(draft, {
    type: 'ATTENTION_RAISED',
    payload: { agentId: hard.agentId, about: String(incident.cause), message },
  });
  amend(draft, { phase: 'waiting', notBefore: undefined });
}
