import type { Instant } from '../base/time.ts';
import { inWords } from '../base/time.ts';
import { becomeGone } from '../fold/life.ts';
import type { Draft } from '../record/draft.ts';
import { markNow, want } from '../record/draft.ts';
import { type Incident, inOrdersWords } from '../record/incident.ts';
import { graceMaxOf, intervalOf, isWatched, lookEveryOf } from '../record/liveness.ts';
import { deadlineAfter, isPast, ladderDeadline } from '../rule/rule.ts';
import { lifeOfIncident } from '../vocabulary/effect.ts';
import { absenceDeadline } from '../vocabulary/stall.ts';
import { amend, askFleet, climbTo, effectIdOf, stepRefOf, wantStep } from './change.ts';
import {
  actFindings,
  hasTwoSources,
  isEvidenceFresh,
  isOrdered,
  type Judged,
  leadOf,
  repeatOf,
} from './reason.ts';

/** Level 3: terminate the agent, by an order or by sufficient evidence; never while in doubt. */
export function climbTerminate(draft: Draft, incident: Incident): void {
  switch (incident.phase) {
    case 'due':
    case 'asked':
      return beginTermination(draft, incident);
    case 'acting':
      return awaitProof(draft, incident);
    case 'waiting':
      // The claim was cancelled. If the reason still holds after another wait, the step is due again.
      if (
        incident.wait &&
        isPast(draft, ladderDeadline(draft, incident.wait, draft.policy.escalation.waitMs))
      ) {
        tryAgain(draft, incident, 'the reason came back');
      }
  }
}

/** Why Holter may not terminate this agent without an order; null if it may. */
export function whyNotTerminate(draft: Judged): string | null {
  const { hard } = draft;
  if (hard.mode !== 'act') return `its mode is ${hard.mode}`;
  if (!hard.can.includes('terminate')) return 'Holter has no way to stop it';
  if (!hard.can.includes('spawn')) return 'there is no proven way to resume it';
  if (hard.incident?.cause === 'ticket') return 'a ticket is no evidence';
  if (!hasTwoSources(draft)) return 'there is evidence from one source only';
  return null;
}

function beginTermination(draft: Draft, incident: Incident): void {
  const { order } = incident;
  if (!isOrdered(draft)) {
    const obstacle = whyNotTerminate(draft);
    if (obstacle !== null) return climbTo(draft, 'human', 1, `Holter must not stop it: ${obstacle}`);
    if (!isEvidenceFresh(draft)) return awaitRepeat(draft);
  }
  if (order?.handoffAskedAt !== undefined && !isHandoffOver(draft, order.handoffAskedAt)) return;
  if (order?.source === 'person') return orderTermination(draft, incident);
  askFleet(draft, incident, 'terminate');
}

/** Waits for the next repeat as fresh evidence. An agent that is no longer heard is left to people. */
function awaitRepeat(draft: Draft): void {
  const { hard, policy } = draft;
  if (hard.doing && !isPast(draft, deadlineAfter(draft, hard.doing, policy.silence.warnMs))) return;
  climbTo(draft, 'human', 1, 'Holter must not stop it: it was not heard at it any more');
}

function isHandoffOver(draft: Draft, askedAt: Incident['openedAt']): boolean {
  const { hard, policy, stalls } = draft;
  if (hard.handoffNoteId !== undefined) return true;
  return isPast(draft, absenceDeadline(askedAt, policy.handoffWaitMs, stalls, graceMaxOf(hard, policy)));
}

export function orderTermination(draft: Draft, incident: Incident): void {
  const { policy } = draft;
  denyLoopingCall(draft, incident);
  wantStep(draft, incident, {
    kind: 'terminate',
    reason: reasonFor(draft, incident),
    order: incident.order?.source ?? null,
    cleanupMs: policy.termination.cleanupMs,
  });
  amend(draft, { phase: 'acting', notBefore: undefined, wait: markNow(draft) });
}

/** Refuses the looping call of an agent that ignored its nudge, while people decide or until it is terminated. */
export function denyLoopingCall(draft: Draft, incident: Incident): void {
  const { hard } = draft;
  if (hard.mode !== 'act' || !hard.can.includes('deny-call') || !repeatOf(actFindings(hard))) return;
  const message = 'Holter: this call is refused while somebody decides what to do about the loop.';
  want(
    draft,
    `${effectIdOf(incident)}/deny`,
    { kind: 'deny-call', message },
    { livesBy: lifeOfIncident(incident.id), step: stepRefOf(incident) },
  );
}

export function reasonFor({ hard }: Draft, { order, cause }: Incident): string {
  if (order) return inOrdersWords(order);
  return leadOf(actFindings(hard))?.evidence ?? String(cause);
}

/**
 * The executor reports that the process is gone. Without probes of the process, that is all the proof there will be.
 * With probes, the end has to be seen: a successor beside a living process would be a second instance.
 */
export function foldSaidGone(draft: Draft, incident: Incident, detail: string): void {
  const { hard, at } = draft;
  if (isWatched(hard)) amend(draft, { exitReportedAt: incident.exitReportedAt ?? at });
  else becomeGone(draft, { how: 'crash', at, detail: `terminated: ${detail}` });
}

/**
 * Verifies that the termination worked, or tells a person. A restart that was only logged once caused a 155-hour
 * outage.
 */
function awaitProof(draft: Draft, incident: Incident): void {
  const { hard, policy, stalls } = draft;
  if (!incident.wait) return;
  if (incident.exitReportedAt !== undefined) return awaitEnd(draft, incident, incident.exitReportedAt);
  // Without an executor the agent is asked in the reply to its next request.
  const isAsked = hard.executor === null && !isWatched(hard);
  const askMs = isAsked ? intervalOf(hard, policy) : 0;
  const waitMs = askMs + policy.termination.cleanupMs + policy.termination.answerMs;
  if (!isPast(draft, absenceDeadline(incident.wait.at, waitMs, stalls, graceMaxOf(hard, policy)))) return;
  tryAgain(draft, incident, `its end was not proven within ${inWords(policy.termination.cleanupMs)}`);
}

/** Waits as long as the next probe may take. */
function awaitEnd(draft: Draft, incident: Incident, saidAt: Instant): void {
  const { hard, soft, policy, stalls } = draft;
  if (!isPast(draft, absenceDeadline(saidAt, lookEveryOf(policy), stalls, graceMaxOf(hard, policy)))) return;
  const what = soft.probedAt > saidAt ? 'its process was seen after that' : 'its end was not seen';
  tryAgain(draft, incident, `it was said to be gone, but ${what}`);
}

export function tryAgain(draft: Draft, incident: Incident, reason: string): void {
  const { attemptsMax } = draft.policy.termination;
  if (incident.attempt < attemptsMax) climbTo(draft, 'terminate', incident.attempt + 1, reason);
  else climbTo(draft, 'human', 1, `it could not be stopped: ${reason}`);
}
