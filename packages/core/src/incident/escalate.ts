import { inWords } from '../base/time.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow, want } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { isPast, ladderDeadline } from '../rule/rule.ts';
import { lifeOfIncident } from '../vocabulary/effect.ts';
import { amend, askFleet, climbTo, effectIdOf, wantStep } from './change.ts';
import { sentence } from './message.ts';
import { readyInWords, readyOf } from './ready.ts';
import { actFindings, leadOf } from './reason.ts';
import { denyLoopingCall, whyNotTerminate } from './terminate.ts';

/** Level 2: a person decides. The time-out starts when a notice has reached somebody. */
export function climbEscalate(draft: Draft, incident: Incident): void {
  if (incident.phase !== 'waiting') {
    askFleet(draft, incident, 'notice');
    return;
  }
  if (!incident.wait || draft.hard.mode !== 'act') return;
  if (!isPast(draft, ladderDeadline(draft, incident.wait, draft.policy.escalation.waitMs))) return;
  const obstacle = whyNotTerminate(draft);
  if (obstacle === null) climbTo(draft, 'terminate', 1, 'no decision in time');
  else climbTo(draft, 'human', 1, `no decision in time, and Holter must not act: ${obstacle}`);
}

export function orderEscalation(draft: Draft, incident: Incident): void {
  const { hard, policy } = draft;
  const reason = leadOf(actFindings(hard))?.evidence ?? String(incident.cause);
  const ready = readyInWords(readyOf(draft, 'connected'), draft);
  // Acknowledged while the fleet deferred it, so no notice is needed.
  const isKnown = incident.acknowledged !== undefined;
  if (!isKnown) {
    wantStep(draft, incident, {
      kind: 'notify',
      audience: 'orchestrator',
      severity: 'warning',
      message: `${hard.agentId} needs a decision (allow_more_time, force_handoff, terminate_and_recover): ${sentence(reason)} ${ready}`,
      incidentId: incident.id,
    });
  }
  warnAgent(draft, incident);
  denyLoopingCall(draft, incident);
  emit(draft, {
    type: 'ESCALATION_TRIGGERED',
    payload: { agentId: hard.agentId, reason, incidentId: incident.id },
  });
  amend(draft, {
    phase: 'waiting',
    notBefore: undefined,
    wait: isKnown || policy.escalation.isUnattended ? markNow(draft) : undefined,
  });
}

/** An agent that Holter may restart by itself is told in time to save its work: by default, 15 minutes before. */
function warnAgent(draft: Draft, incident: Incident): void {
  const { hard, policy } = draft;
  const mayRestart =
    incident.cause !== 'ticket' &&
    hard.mode === 'act' &&
    hard.can.includes('terminate') &&
    hard.can.includes('spawn');
  if (!mayRestart) return;
  const message = `Holter: somebody has been asked what to do about you. If nothing changes, you may be restarted in ${inWords(policy.escalation.waitMs)}. A checkpoint now keeps your work.`;
  want(
    draft,
    `${effectIdOf(incident)}/warning`,
    { kind: 'remind', message },
    { livesBy: lifeOfIncident(incident.id) },
  );
}
