import type { Draft } from '../draft.ts';
import { markNow, want } from '../draft.ts';
import { graceMaxOf } from '../liveness.ts';
import { deadlineAfter, isPast } from '../rule/rule.ts';
import { absenceDeadline } from '../stall.ts';
import { inWords } from '../time.ts';
import { amend, askFleet, climbTo, effectIdOf } from './change.ts';
import type { Incident } from './incident.ts';
import { actFindings, hasTwoSources, isOrdered, leadOf, repeatOf } from './reason.ts';

/** Level 3: stop it. By an order, or by evidence that would convince a stranger; never by doubt. */
export function climbTerminate(draft: Draft, incident: Incident): void {
  switch (incident.phase) {
    case 'due':
    case 'asked':
      return beginTermination(draft, incident);
    case 'acting':
      return awaitProof(draft, incident);
    case 'waiting':
      // The claim called it off. If the reason is still there after another wait, it is due again.
      if (
        incident.wait &&
        isPast(draft, deadlineAfter(draft, incident.wait, draft.policy.escalation.waitMs))
      ) {
        tryAgain(draft, incident, 'the reason came back');
      }
  }
}

/** Why Holter may not stop this agent by itself; null when it may. */
export function whyNotTerminate(draft: Draft): string | null {
  const { hard } = draft;
  if (hard.mode !== 'act') return `its mode is ${hard.mode}`;
  if (!hard.can.includes('terminate')) return 'nothing can stop it from here';
  if (!hard.can.includes('spawn')) return 'there is no proven way to resume it';
  if (!hasTwoSources(draft)) return 'there is evidence from one source only';
  return null;
}

function beginTermination(draft: Draft, incident: Incident): void {
  const { order } = incident;
  if (!isOrdered(draft)) {
    const obstacle = whyNotTerminate(draft);
    if (obstacle !== null) return climbTo(draft, 'human', 1, `Holter must not stop it: ${obstacle}`);
  }
  if (order?.handoffAskedAt !== undefined && !isHandoffOver(draft, order.handoffAskedAt)) return;
  if (order && order.by !== 'policy') return sendTermination(draft, incident);
  askFleet(draft, incident, 'terminate');
}

function isHandoffOver(draft: Draft, askedAt: Incident['openedAt']): boolean {
  const { hard, policy, stalls } = draft;
  if (hard.handoffNoteId !== undefined) return true;
  return isPast(draft, absenceDeadline(askedAt, policy.handoffWaitMs, stalls, graceMaxOf(hard, policy)));
}

export function sendTermination(draft: Draft, incident: Incident): void {
  const { policy } = draft;
  const effectId = effectIdOf(incident);
  denyLoopingCall(draft, incident);
  want(draft, effectId, {
    kind: 'terminate',
    reason: reasonFor(draft, incident),
    cleanupMs: policy.termination.cleanupMs,
  });
  amend(draft, { phase: 'acting', notBefore: undefined, wait: markNow(draft) });
}

/** A loop that does not hear is at least kept from going round while people are asked, or until it is stopped. */
export function denyLoopingCall(draft: Draft, incident: Incident): void {
  const { hard } = draft;
  if (hard.mode !== 'act' || !hard.can.includes('deny-call') || !repeatOf(actFindings(hard))) return;
  want(draft, `${effectIdOf(incident)}/deny`, {
    kind: 'deny-call',
    message: 'Holter: this call is refused while somebody decides what to do about the loop.',
  });
}

export function reasonFor({ hard }: Draft, { order, cause }: Incident): string {
  if (order) return `ordered by ${order.by}`;
  return leadOf(actFindings(hard))?.evidence ?? String(cause);
}

/** "Needs a restart" that is only logged was a 155-hour outage: the outcome is verified, or a person told. */
function awaitProof(draft: Draft, incident: Incident): void {
  const { hard, policy, stalls } = draft;
  if (!incident.wait) return;
  const waitMs = policy.termination.cleanupMs + policy.termination.answerMs;
  if (!isPast(draft, absenceDeadline(incident.wait.at, waitMs, stalls, graceMaxOf(hard, policy)))) return;
  tryAgain(draft, incident, `its end was not proven within ${inWords(policy.termination.cleanupMs)}`);
}

export function tryAgain(draft: Draft, incident: Incident, reason: string): void {
  const { attemptsMax } = draft.policy.termination;
  if (incident.attempt < attemptsMax) climbTo(draft, 'terminate', incident.attempt + 1, reason);
  else climbTo(draft, 'human', 1, `it could not be stopped: ${reason}`);
}
