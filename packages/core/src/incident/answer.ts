import { endTask } from '../fold/tasks.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow, want } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import type { ClaimEvidence, InputBody } from '../record/input.ts';
import { graceMaxOf } from '../record/liveness.ts';
import type { Admission, Ask, Notice } from '../vocabulary/ask.ts';
import type { NoticeBody } from '../vocabulary/effect.ts';
import { hasJustReturned } from '../vocabulary/stall.ts';
import { amend, effectIdOf, tellPeople } from './change.ts';
import { orderEscalation } from './escalate.ts';
import { callHuman } from './human.ts';
import { orderNudge } from './nudge.ts';
import { actFindings, hasTwoSources, isEvidenceFresh, isOrdered, repeatOf } from './reason.ts';
import { failAttempt, orderSpawn, taskIdOf } from './recover.ts';
import { foldSaidGone, orderTermination, tryAgain } from './terminate.ts';

/** The fleet answered. What is deferred is judged again then; what is granted happens now. */
export function foldGrant(draft: Draft, asked: Ask, admission: Admission): void {
  if (asked.notice) return foldNoticeGrant(draft, asked.effectId, asked.notice, admission);
  const { incident } = draft.hard;
  if (incident?.phase !== 'asked' || effectIdOf(incident) !== asked.effectId) return;
  if (admission.kind === 'deferred') {
    amend(draft, { phase: 'due', notBefore: admission.until });
    lookAgainAt(draft, admission.until);
    return;
  }
  switch (incident.step) {
    case 'nudge':
      return orderNudge(draft, incident);
    case 'escalate':
      return orderEscalation(draft, incident);
    case 'terminate':
      return orderTermination(draft, incident);
    case 'recover':
      return orderSpawn(draft, incident);
    case 'human':
      return callHuman(draft, incident);
  }
}

/** A notice beside the steps of the ladder. One that the fleet can't bear now stays on record. */
function foldNoticeGrant(draft: Draft, effectId: string, notice: Notice, admission: Admission): void {
  if (admission.kind === 'granted') return foldNotice(draft, effectId, { audience: 'operator', ...notice });
  emitAttention(draft, effectId, notice.message);
}

export function foldNotice(draft: Draft, effectId: string, notice: NoticeBody): void {
  want(draft, effectId, { kind: 'notify', ...notice });
  emitAttention(draft, effectId, notice.message);
}

function emitAttention(draft: Draft, about: string, message: string): void {
  emit(draft, { type: 'ATTENTION_RAISED', payload: { agentId: draft.hard.agentId, about, message } });
}

type Receipt = Extract<InputBody, { kind: 'receipt' }>;

/** What became of an effect. A receipt of an older step changes nothing but the record. */
export function foldReceipt(draft: Draft, receipt: Receipt): void {
  const { hard } = draft;
  const { effectId, outcome, detail, channel } = receipt;
  emit(draft, {
    type: 'EFFECT_RECEIPT',
    payload: {
      agentId: hard.agentId,
      effectId,
      effect: null,
      outcome,
      detail,
      ...(channel !== undefined && { channel }),
    },
  });
  const { incident } = hard;
  if (!incident || effectIdOf(incident) !== effectId) return;
  const isFailed = outcome === 'refused' || outcome === 'unknown';
  switch (incident.step) {
    case 'nudge':
      if (outcome === 'seen') noteNudgeSeen(draft, incident);
      else if (isFailed) amend(draft, { isNudgeLost: true });
      return;
    case 'escalate':
      // That a service took a message does not show that anybody knows.
      if (!isFailed && outcome !== 'posted' && !incident.wait) amend(draft, { wait: markNow(draft) });
      return;
    case 'terminate':
      if (incident.phase !== 'acting') return;
      if (outcome === 'done') foldSaidGone(draft, incident, detail);
      else if (isFailed) tryAgain(draft, incident, detail);
      return;
    case 'recover':
      if (incident.phase === 'acting' && outcome === 'refused') failAttempt(draft, detail);
      return;
    case 'human':
      return;
  }
}

/** Repeats are counted from the first nudge about this loop that was seen: only what came after it is deafness. */
function noteNudgeSeen(draft: Draft, incident: Incident): void {
  const repeat = repeatOf(actFindings(draft.hard)) ?? incident.repeatAtStep;
  amend(draft, { isNudgeSeen: true, repeatAtNudge: incident.repeatAtNudge ?? repeat });
}

/** The last moment to think again: the agent was judged just now, with everything that came in since. */
export function foldClaim(draft: Draft, effectId: string, evidence: ClaimEvidence): void {
  const because = whyNotProceed(draft, effectId, evidence);
  if (because === null) {
    draft.claim = 'proceed';
    return;
  }
  draft.claim = 'cancelled';
  emit(draft, { type: 'EFFECT_CANCELLED', payload: { agentId: draft.hard.agentId, effectId, because } });
}

function whyNotProceed(draft: Draft, effectId: string, evidence: ClaimEvidence): string | null {
  const { hard } = draft;
  const { incident } = hard;
  // To refuse an agent's calls is a part of its step, and stands or falls with it.
  const isCurrent = incident !== undefined && effectIdOf(incident) === effectId.replace(DENIAL, '');
  if (!isCurrent) return isDrastic(effectId) ? 'it was superseded' : null;
  if (isDenial(effectId) && !repeatOf(actFindings(hard))) return 'the reason is gone';
  switch (incident.step) {
    case 'nudge':
      return incident.cause !== 'operator' && actFindings(hard).length === 0 ? 'the reason is gone' : null;
    case 'terminate':
      return whyNotStop(draft, incident);
    case 'recover':
      return whyNotSpawn(draft, incident, evidence);
    case 'escalate':
    case 'human':
      // The notice has no use any more; what is done to the agent goes on.
      if (isDenial(effectId) || !incident.acknowledged) return null;
      return `${incident.acknowledged.by} has acknowledged it`;
  }
}

/** Notices, reminders and inquiries of yesterday do no harm; a kill or a start would. */
const isDrastic = (effectId: string): boolean =>
  isDenial(effectId) || /\/(nudge|terminate|recover)\/\d+$/.test(effectId);

const DENIAL = /\/deny$/;
const isDenial = (effectId: string): boolean => DENIAL.test(effectId);

function whyNotStop(draft: Draft, incident: Incident): string | null {
  const { hard } = draft;
  if (hard.end) return 'it has ended already';
  if (incident.phase !== 'acting') return 'it was called off';
  if (incident.order && incident.order.by !== 'policy') return null;
  const isGrounded =
    isOrdered(draft) || (hard.holds.length === 0 && hasTwoSources(draft) && isEvidenceFresh(draft));
  const isOld = hasJustReturned(draft.stalls, draft.at, graceMaxOf(hard, draft.policy));
  if (isGrounded && !isOld && (hard.quiet === undefined || hard.quiet.until <= draft.at)) return null;
  amend(draft, { phase: 'waiting', wait: markNow(draft) });
  return isOld
    ? 'nobody looked for a while, and it may have moved on'
    : 'the evidence does not hold any more';
}

function whyNotSpawn(draft: Draft, incident: Incident, evidence: ClaimEvidence): string | null {
  const { hard } = draft;
  if (!hard.end) return 'it is running';
  if (hard.spawnKey !== effectIdOf(incident)) return 'it was superseded';
  if (evidence.isTaskOpen === false && hard.task) {
    endTask(draft, hard.task.id, 'done');
    return 'its task has ended';
  }
  const from = incident.order?.from;
  if (from && (evidence.checkpointId !== from.id || evidence.checkpointHash !== from.hash)) {
    failAttempt(draft, `checkpoint ${from.id} is not what it was`);
    return 'the checkpoint that was picked is not what it was';
  }
  if (incident.isClaimed) return null;
  amend(draft, { isClaimed: true });
  const fromCheckpoint = evidence.checkpointId ?? 'task-start';
  emit(draft, {
    type: 'RECOVERY_INITIATED',
    payload: {
      agentId: hard.agentId,
      taskId: taskIdOf(draft),
      fromCheckpoint,
      attempt: hard.recovery?.attempts ?? 1,
    },
  });
  if (evidence.checkpointId === null) {
    const message = `${hard.agentId} has no valid checkpoint; it starts its task from the beginning`;
    tellPeople(draft, incident, 'task-start', { severity: 'warning', message });
  }
  return null;
}
