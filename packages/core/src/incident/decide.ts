import { assertNever } from '../base/invariant.ts';
import { inWords } from '../base/time.ts';
import { beginHold, endHold } from '../fold/holds.ts';
import type { Hard } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow, want } from '../record/draft.ts';
import { allFindings } from '../record/findings.ts';
import type { Order } from '../record/incident.ts';
import type { Decision } from '../record/input.ts';
import type { PickedCheckpoint } from '../vocabulary/checkpoint-chain.ts';
import { lifeOfIncident } from '../vocabulary/effect.ts';
import type { EventOf } from '../vocabulary/event.ts';
import { EVIDENCE_LENGTH_MAX } from '../vocabulary/finding.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import { amend, climbTo, closeIncident, effectIdOf, openIncident, rankOf } from './change.ts';
import { wantNudge } from './nudge.ts';
import { whyNotDecide } from './obstacle.ts';
import { becomeQuiet, dismiss, endQuiet } from './quiet.ts';

/**
 * Carries out a decision of a person or an orchestrator, which needs no further evidence. If too late, it is only
 * recorded.
 */
export function foldDecision(draft: Draft, decision: Decision): void {
  const { agentId, incident } = draft.hard;
  const rejection = whyNotDecide(draft, decision);
  const { decision: word, by, reason } = decision;
  if (rejection !== null) {
    draft.rejection = rejection;
    emit(draft, { type: 'DECISION_REJECTED', payload: { agentId, decision: word, by, ...rejection } });
    return;
  }
  emit(draft, {
    type: 'DECISION_MADE',
    payload: {
      agentId,
      incidentId: incident?.id ?? null,
      decision: word,
      by,
      reason,
      ...subjectOf(draft.hard, decision),
    },
  });
  carryOut(draft, decision);
}

/** The subject of the decision, for the record. Accepting an end does not call a finding wrong. */
function subjectOf(
  hard: Hard,
  decision: Decision,
): Pick<EventOf<'DECISION_MADE'>['payload'], 'finding' | 'wrong' | 'checkpointId'> {
  const finding = 'finding' in decision ? decision.finding : undefined;
  const from = 'from' in decision ? decision.from : undefined;
  const isWrong = decision.decision === 'dismiss' && !hard.end;
  return {
    ...(finding !== undefined && { finding }),
    ...(isWrong && { wrong: finding === undefined ? allFindings(hard).map(({ kind }) => kind) : [finding] }),
    ...(from && { checkpointId: from.id }),
  };
}

function carryOut(draft: Draft, decision: Decision): void {
  const { by, reason, source = 'person' } = decision;
  const given = { by, source, reason: reason.slice(0, EVIDENCE_LENGTH_MAX) } as const;
  switch (decision.decision) {
    case 'allow_more_time':
      return becomeQuiet(draft, decision.forMs, decision);
    case 'dismiss':
      return dismiss(draft, decision);
    case 'wake':
      return endQuiet(draft, decision);
    case 'acknowledge':
      return acknowledge(draft, by, reason);
    case 'pause':
      return beginHold(draft, 'paused-by-operator');
    case 'resume':
      return endHold(draft, 'paused-by-operator');
    case 'nudge':
      return nudgeNow(draft, decision.message ?? reason, source);
    case 'terminate':
      return order(draft, 'terminate', { ...given, afterwards: 'stop' });
    case 'terminate_and_recover':
      return order(draft, 'terminate', { ...given, afterwards: 'recover', ...picked(decision.from) });
    case 'recover':
      return order(draft, 'recover', { ...given, afterwards: 'recover', ...picked(decision.from) });
    case 'force_handoff':
      return forceHandoff(draft, given);
    case 'replace':
      return approveReplacement(draft, { ...given, afterwards: 'recover', isReplacement: true });
    default:
      return assertNever(decision);
  }
}

/** The acknowledging person has been reached, so the wait for a decision runs, as after a notice that was read. */
function acknowledge(draft: Draft, by: string, reason: string): void {
  const { hard, at } = draft;
  const { incident } = hard;
  if (!incident) return;
  const isUnread = incident.step === 'escalate' && incident.phase === 'waiting' && !incident.wait;
  amend(draft, {
    acknowledged: { by, at, reason: reason.slice(0, EVIDENCE_LENGTH_MAX) },
    ...(isUnread && { wait: markNow(draft) }),
  });
  emit(draft, {
    type: 'INCIDENT_ACKNOWLEDGED',
    payload: { agentId: hard.agentId, incidentId: incident.id, by, reason },
  });
}

/** A nudge by a person, or by a setting of theirs, goes through an incident like any other, so that it is recorded and has a receipt. */
function nudgeNow(draft: Draft, text: string, source: 'person' | 'run'): void {
  const { incident } = draft.hard;
  if (!incident) openIncident(draft, 'operator', 'nudge');
  else if (incident.step === 'nudge') climbTo(draft, 'nudge', incident.attempt + 1, 'nudged by a person');
  else {
    closeIncident(draft, 'taken over by a person');
    openIncident(draft, 'operator', 'nudge');
  }
  const open = draft.hard.incident;
  if (!open) return;
  wantNudge(draft, open, 'operator', `Holter: ${text}`, source === 'person' ? source : undefined);
  amend(draft, { phase: 'waiting', wait: markNow(draft) });
}

/**
 * Climbs to the ordered step. From a higher step, a new incident carries the order, because a ladder never goes
 * down.
 */
function order(draft: Draft, step: LadderStep, given: Order): void {
  const { hard } = draft;
  forget(hard, 'quiet');
  // An order by a person resets the count.
  if (step === 'recover' && hard.recovery) hard.recovery = { ...hard.recovery, attempts: 0 };
  const { incident } = hard;
  if (incident && rankOf(incident.step) < rankOf(step)) climbTo(draft, step, 1, `ordered by ${given.by}`);
  else if (incident?.step === step && incident.phase !== 'acting')
    climbTo(draft, step, incident.attempt + 1, `ordered by ${given.by}`);
  else if (incident?.step !== step) {
    if (incident) closeIncident(draft, `taken over by ${given.by}`);
    openIncident(draft, 'operator', step);
  }
  amend(draft, { order: given });
}

/** The ladder carries it out at once. */
function approveReplacement(draft: Draft, given: Order): void {
  const { hard } = draft;
  forget(hard, 'quiet');
  if (hard.recovery) hard.recovery = { ...hard.recovery, attempts: 0 };
  if (!hard.incident) openIncident(draft, 'operator', 'escalate');
  amend(draft, { order: given });
}

const picked = (from: PickedCheckpoint | undefined): Pick<Order, 'from'> =>
  from ? { from: { id: from.id, hash: from.hash } } : {};

function forceHandoff(draft: Draft, given: Pick<Order, 'by' | 'source'> & { reason: string }): void {
  const { hard, at, policy } = draft;
  forget(hard, 'handoffNoteId');
  order(draft, 'terminate', { ...given, afterwards: 'recover', handoffAskedAt: at });
  const { incident } = hard;
  if (!incident) return;
  emit(draft, {
    type: 'HANDOFF_REQUESTED',
    payload: { agentId: hard.agentId, by: 'holter', reason: given.reason },
  });
  want(
    draft,
    `${effectIdOf(incident)}/handoff`,
    {
      kind: 'request-handoff',
      message: `Holter: somebody else will take over in ${inWords(policy.handoffWaitMs)}, or as soon as you have written a handoff note (done, pending, blocked, next steps), which keeps your work.`,
      waitMs: policy.handoffWaitMs,
    },
    { livesBy: lifeOfIncident(incident.id) },
  );
}
