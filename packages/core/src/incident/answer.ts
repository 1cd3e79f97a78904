import { later } from '../base/time.ts';
import { endTask } from '../fold/tasks.ts';
import { newestCallOf } from '../fold/trail.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow, want } from '../record/draft.ts';
import type { Incident, NudgeState } from '../record/incident.ts';
import type { ClaimEvidence, InputBody } from '../record/input.ts';
import { graceMaxOf } from '../record/liveness.ts';
import { openLives } from '../record/lives.ts';
import type { Admission, Ask, Notice } from '../vocabulary/ask.ts';
import type { Cancellation } from '../vocabulary/cancellation.ts';
import { acknowledgedBy, cancellation } from '../vocabulary/cancellation.ts';
import type { Effect, EffectKind, NoticeBody, ReceiptOutcome } from '../vocabulary/effect.ts';
import { lifeOfFleet, lifeOfIncident, lifeOfStart, NOTICE_MS_MAX, wantedIdOf } from '../vocabulary/effect.ts';
import { hasJustReturned } from '../vocabulary/stall.ts';
import { amend, effectIdOf, isOfStep, tellPeople } from './change.ts';
import { orderEscalation } from './escalate.ts';
import { callHuman } from './human.ts';
import { hasReached, orderNudge } from './nudge.ts';
import { actFindings, hasTwoSources, isDelayed, isEvidenceFresh, isOrdered, repeatOf } from './reason.ts';
import { failAttempt, orderSpawn, taskIdOf } from './recover.ts';
import { foldSaidGone, orderTermination, tryAgain } from './terminate.ts';

/** The fleet's answer: a deferred step is judged again at that time, a granted one is taken now. */
export function foldGrant(draft: Draft, asked: Ask, admission: Admission): void {
  if (asked.notice) return foldNoticeGrant(draft, asked.effectId, asked.notice, admission);
  const { incident } = draft.hard;
  if (incident?.phase !== 'asked' || effectIdOf(incident) !== asked.effectId) return;
  if (admission.kind === 'deferred') {
    amend(draft, { phase: 'due', notBefore: admission.until, heldBack: admission.because });
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

/** A notice outside the steps of the ladder. If the fleet defers it, it is only recorded. */
function foldNoticeGrant(draft: Draft, effectId: string, notice: Notice, admission: Admission): void {
  if (admission.kind === 'granted') return foldNotice(draft, effectId, { audience: 'operator', ...notice });
  emitAttention(draft, effectId, notice.message);
}

export function foldNotice(draft: Draft, effectId: string, notice: NoticeBody): void {
  const terms = termsOf(draft, notice);
  if (terms) want(draft, effectId, { kind: 'notify', ...notice }, terms);
  emitAttention(draft, effectId, notice.message);
}

/** What the notice lives by; null if it is no longer needed. */
function termsOf({ hard, at }: Draft, { incidentId }: NoticeBody): Pick<Effect, 'livesBy' | 'until'> | null {
  const { agentId, group, incident, incarnation, end } = hard;
  const until = later(at, NOTICE_MS_MAX);
  if (incident && incident.id === incidentId) return { livesBy: lifeOfIncident(incident.id) };
  // A notice about what watches the agent (a lost run, a dead channel) is still needed after the agent's end.
  if (incidentId === null) return { livesBy: lifeOfFleet(group), until };
  // Its incident was closed by the same input, so the notice lives by the current incarnation.
  return end ? null : { livesBy: lifeOfStart(agentId, incarnation), until };
}

function emitAttention(draft: Draft, about: string, message: string): void {
  emit(draft, { type: 'ATTENTION_RAISED', payload: { agentId: draft.hard.agentId, about, message } });
}

type Receipt = Extract<InputBody, { kind: 'receipt' }>;

/** The outcome of an effect. A receipt of an older step is only recorded. */
export function foldReceipt(draft: Draft, receipt: Receipt): void {
  const { hard } = draft;
  const { effect, outcome, detail } = receipt;
  const via = effect.kind === 'notify' ? effect.via : undefined;
  emit(draft, {
    type: 'EFFECT_RECEIPT',
    payload: {
      agentId: hard.agentId,
      effectId: wantedIdOf(effect),
      effect: effect.kind,
      outcome,
      detail,
      ...(via && { channel: via.channel }),
    },
  });
  if (effect.kind === 'nudge') foldNudge(draft, effect, outcome);
  if (effect.kind === 'notify' && outcome === 'posted') noteTold(draft, effect);
  if (effect.kind === 'deny-call' && outcome === 'delivered') noteDenied(draft, effect);
  const { incident } = hard;
  if (!incident || !isOfStep(effect, incident) || effect.kind === 'deny-call') return;
  const isFailed = outcome === 'refused' || outcome === 'unknown';
  switch (incident.step) {
    case 'nudge':
      if (outcome === 'seen') noteNudgeSeen(draft, incident);
      else if (isFailed) becomeNudge(draft, incident, 'lost');
      return;
    case 'escalate':
      // A message that a service accepted has not necessarily been seen.
      if (!isFailed && outcome !== 'posted') becomeNoticed(draft, incident);
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
      if (!isFailed && outcome !== 'posted') becomeNoticed(draft, incident);
      return;
  }
}

/** It is refused until the incident closes, by every server. */
function noteDenied(draft: Draft, { livesBy }: Effect): void {
  const { incident } = draft.hard;
  const denied = newestCallOf(draft.hard);
  if (incident && denied !== null && livesBy === lifeOfIncident(incident.id)) amend(draft, { denied });
}

const TOLD_MAX = 20;

/** An alert does not decide anything, and does not start the wait for a decision. */
function noteTold(draft: Draft, { alert, via }: Extract<Effect, { kind: 'notify' }>): void {
  const { incident } = draft.hard;
  if (!incident || !via || (alert?.action !== 'trigger' && alert?.action !== 'repeat')) return;
  const { told = [] } = incident;
  const isAbout = alert.members.some(({ incidentId }) => incidentId === incident.id);
  if (!isAbout || told.length >= TOLD_MAX || told.some(({ channel }) => channel === via.channel)) return;
  amend(draft, { told: [...told, { channel: via.channel, at: draft.at }] });
}

/** Somebody who may decide was shown the notice; the wait for a decision runs from now, unless it already does. */
function becomeNoticed(draft: Draft, { step, wait, noticedAt }: Incident): void {
  amend(draft, {
    noticedAt: noticedAt ?? draft.at,
    ...(step === 'escalate' && !wait && { wait: markNow(draft) }),
  });
}

type Nudge = Extract<Effect, { kind: 'nudge' }>;

/**
 * A nudge was sent when it has reached the agent, not when it was decided; a second receipt is ignored. One that is
 * read after the next step was decided has been seen too, but is no evidence: the loop may have ended before.
 */
function foldNudge(draft: Draft, effect: Nudge, outcome: ReceiptOutcome): void {
  const { agentId, incarnation, incident } = draft.hard;
  if (effect.incarnation !== incarnation || (outcome !== 'delivered' && outcome !== 'seen')) return;
  const newest = incident && isNewestNudge(effect, incident) ? incident : null;
  const isNews = newest ? !hasReached(newest) : outcome === 'delivered';
  if (newest) becomeNudge(draft, newest, outcome);
  if (newest && outcome === 'seen') amend(draft, { isNudgeSeen: true });
  const { attempt, message } = effect;
  if (isNews) emit(draft, { type: 'NUDGE_SENT', payload: { agentId, attempt, message } });
}

/** Whether no later nudge of the incident was decided; the incident itself may have gone on. */
function isNewestNudge(effect: Nudge, incident: Incident): boolean {
  const { id, step, phase, nudges } = incident;
  if (isOfStep(effect, incident)) return true;
  if (effect.step?.incidentId !== id || !nudges || (step === 'nudge' && phase === 'waiting')) return false;
  // Attempts count from one, so an earlier one has a lower number than nudges were decided.
  return effect.attempt >= nudges.decided;
}

/** Repeats count from the first nudge about this loop that was seen: only later ones mean that it was ignored. */
function noteNudgeSeen(draft: Draft, incident: Incident): void {
  const repeat = repeatOf(actFindings(draft.hard)) ?? incident.repeatAtStep;
  amend(draft, { isNudgeSeen: true, repeatAtNudge: incident.repeatAtNudge ?? repeat });
}

/** The newest nudge came so far. One that has reached the agent is not lost by a later receipt. */
function becomeNudge(draft: Draft, incident: Incident, newest: NudgeState): void {
  const { nudges = { decided: 1, delivered: 0 } } = incident;
  if (hasReached(incident)) {
    if (newest === 'seen') amend(draft, { nudges: { ...nudges, newest } });
    return;
  }
  const delivered = nudges.delivered + Number(newest === 'delivered' || newest === 'seen');
  amend(draft, { nudges: { ...nudges, delivered, newest } });
}

/** The last check before an effect is carried out. The agent has just been judged with every input so far. */
export function foldClaim(draft: Draft, effect: Effect, evidence: ClaimEvidence): void {
  const cancelled = whyNotProceed(draft, effect, evidence);
  if (cancelled === null) proceed(draft, effect);
  else cancelClaim(draft, effect, cancelled);
}

function proceed(draft: Draft, effect: Effect): void {
  draft.claim = 'proceed';
  const { incident } = draft.hard;
  if (effect.kind !== 'nudge' || incident?.nudges?.newest !== 'decided' || !isOfStep(effect, incident))
    return;
  becomeNudge(draft, incident, 'offered');
}

/** The judgement that answered the claim may also have closed the incident that wanted the effect. */
export function withdrawClaim(draft: Draft, effect: Effect): void {
  if (draft.claim === 'proceed' && draft.over.includes(effect.livesBy))
    cancelClaim(draft, effect, cancellation('over'));
}

function cancelClaim(draft: Draft, effect: Effect, cancelled: Cancellation): void {
  draft.claim = 'cancelled';
  const { agentId } = draft.hard;
  emit(draft, { type: 'EFFECT_CANCELLED', payload: { agentId, effectId: wantedIdOf(effect), ...cancelled } });
}

function whyNotProceed(draft: Draft, effect: Effect, evidence: ClaimEvidence): Cancellation | null {
  const { hard } = draft;
  const { incident } = hard;
  // Pending effects were cancelled when their life ended; this catches one that was already claimed.
  if (!openLives(hard).includes(effect.livesBy)) return cancellation('over');
  if (!incident || !isOfStep(effect, incident))
    return IS_ACT[effect.kind] ? cancellation('superseded') : null;
  if (effect.kind === 'deny-call' && !repeatOf(actFindings(hard))) return cancellation('reason-gone');
  switch (incident.step) {
    case 'nudge':
      return incident.cause !== 'operator' && actFindings(hard).length === 0
        ? cancellation('reason-gone')
        : null;
    case 'terminate':
      return whyNotStop(draft, incident);
    case 'recover':
      return whyNotSpawn(draft, incident, evidence);
    case 'escalate':
    case 'human':
      // The notice is no longer needed; effects on the agent still are.
      if (effect.kind === 'deny-call' || !incident.acknowledged) return null;
      return acknowledgedBy(incident.acknowledged.by);
  }
}

/** Whether a late effect could harm the agent: an old message does not, a kill or a start would. */
const IS_ACT: Readonly<Record<EffectKind, boolean>> = {
  nudge: true,
  'deny-call': true,
  terminate: true,
  spawn: true,
  inquire: false,
  remind: false,
  notify: false,
  'request-handoff': false,
};

function whyNotStop(draft: Draft, incident: Incident): Cancellation | null {
  const { hard } = draft;
  if (hard.end) return cancellation('agent-ended');
  if (incident.phase !== 'acting') return cancellation('called-off');
  if (incident.order?.source === 'person') return null;
  const isGrounded =
    isOrdered(draft) || (!isDelayed(draft, incident) && hasTwoSources(draft) && isEvidenceFresh(draft));
  const isOld = hasJustReturned(draft.stalls, draft.at, graceMaxOf(hard, draft.policy));
  if (isGrounded && !isOld && (hard.quiet === undefined || hard.quiet.until <= draft.at)) return null;
  amend(draft, { phase: 'waiting', wait: markNow(draft) });
  return cancellation(isOld ? 'not-watched' : 'evidence-gone');
}

function whyNotSpawn(draft: Draft, incident: Incident, evidence: ClaimEvidence): Cancellation | null {
  const { hard } = draft;
  if (!hard.end) return cancellation('agent-running');
  if (incident.phase !== 'acting') return cancellation('superseded');
  if (evidence.isTaskOpen === false && hard.task) {
    endTask(draft, hard.task.id, 'done');
    return cancellation('task-ended');
  }
  const from = incident.order?.from;
  if (from && (evidence.checkpointId !== from.id || evidence.checkpointHash !== from.hash)) {
    failAttempt(draft, `checkpoint ${from.id} is not what it was`);
    return cancellation('checkpoint-changed');
  }
  // A repeated claim keeps the key: the executor may be starting the successor with it.
  const key = (incident.isClaimed && hard.spawnKey) || evidence.spawnKey;
  if (key === undefined) return cancellation('no-key');
  hard.spawnKey = key;
  if (incident.isClaimed) return null;
  amend(draft, { isClaimed: true });
  const goesOn = hard.can.includes('resume');
  const fromCheckpoint = evidence.checkpointId ?? (goesOn ? 'session' : 'task-start');
  emit(draft, {
    type: 'RECOVERY_INITIATED',
    payload: {
      agentId: hard.agentId,
      taskId: taskIdOf(draft),
      fromCheckpoint,
      attempt: hard.recovery?.attempts ?? 1,
    },
  });
  if (evidence.checkpointId === null && !goesOn) {
    const message = `${hard.agentId} has no valid checkpoint; it starts its task from the beginning`;
    tellPeople(draft, incident, 'task-start', { severity: 'warning', message });
  }
  return null;
}
