import { hashText } from '../base/hash.ts';
import { invariant } from '../base/invariant.ts';
import type { DurationMs, Instant } from '../base/time.ts';
import { hours, later, latest, milliseconds, minutes } from '../base/time.ts';
import { acquireBreaker, refusedUntil, reportBreaker } from '../fold/breakers.ts';
import type { Hard, Recovery } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { graceMaxOf } from '../record/liveness.ts';
import { RECOVERY_BREAKER } from '../rule/breaker-open.ts';
import { isPast } from '../rule/rule.ts';
import { absenceDeadline, returnedSince } from '../vocabulary/stall.ts';
import { amend, askFleet, climbTo, closeIncident, tellPeople, wantStep } from './change.ts';

/**
 * Starts a successor from the newest valid checkpoint. Only after the death is proven, only while the task is open,
 * and only as often as the limits allow; after that a person decides.
 */
export function climbRecover(draft: Draft, incident: Incident): void {
  switch (incident.phase) {
    case 'due':
    case 'asked':
      return beginRecovery(draft, incident);
    case 'acting':
      return awaitSuccessor(draft, incident);
    case 'waiting':
      return watchProbation(draft);
  }
}

function beginRecovery(draft: Draft, incident: Incident): void {
  invariant(draft.hard.end, `${incident.id} would start a twin of an agent that is not proven gone`);
  const obstacle = whyNotRecover(draft, incident);
  if (obstacle !== null) {
    climbTo(draft, 'human', 1, `it stays down: ${obstacle}`);
    return;
  }
  const limitEnd = limitEndOf(draft, incident);
  if (limitEnd !== null && incident.notBefore === undefined) tellLimited(draft, incident);
  const backoff = latest(limitEnd ?? draft.at, backoffEnd(draft, incident));
  const ready = latest(incident.notBefore ?? backoff, graceEnd(draft, incident));
  // A start that the breaker refuses must not use up the fleet's grant for one.
  const notBefore = latest(ready, breakerEnd(draft, incident));
  if (notBefore > draft.at) {
    amend(draft, { phase: 'due', notBefore, ...(notBefore > ready && { heldBack: undefined }) });
    lookAgainAt(draft, notBefore);
    return;
  }
  askFleet(draft, incident, 'start');
}

/**
 * During a stall the agent may have been started by other means; wait a grace for it to register. A person's order
 * does not wait.
 */
function graceEnd({ hard, policy, stalls, at }: Draft, { order }: Incident): Instant {
  return order?.source === 'person' ? at : returnedSince(stalls, graceMaxOf(hard, policy));
}

/** Holter's own starts wait for the breaker. A person's order does not. */
const breakerEnd = (draft: Draft, { order }: Incident): Instant =>
  (order?.source === 'person' ? null : refusedUntil(draft, RECOVERY_BREAKER)) ?? draft.at;

/**
 * The end, or the failure of the previous attempt, plus the backoff. An ordered first attempt does not wait, even if
 * it replaces a waiting one: the order has reset the count.
 */
function backoffEnd(draft: Draft, incident: Incident): Instant {
  const { hard, policy, at } = draft;
  const isFirst = incident.attempt === 1;
  const { attempts } = recoveryOf(draft.hard);
  if (incident.order && (isFirst || attempts === 0)) return at;
  const { backoffMs } = policy.recovery;
  const wait = backoffMs[Math.min(attempts, backoffMs.length - 1)] ?? 0;
  return later(isFirst ? (hard.end?.at ?? at) : at, wait);
}

/** Agents that share a limit would all come back at its reset; they come within this time instead. */
const SPREAD_MS = minutes(5);

/** When an agent that ended at a usage limit may go on. A person's order does not wait for it. */
function limitEndOf({ hard }: Draft, { id, order }: Incident): Instant | null {
  if (hard.limitedUntil === undefined || order?.source === 'person') return null;
  return later(hard.limitedUntil, hashText(id) % SPREAD_MS);
}

function tellLimited(draft: Draft, incident: Incident): void {
  const { agentId } = draft.hard;
  tellPeople(draft, incident, 'usage-limit', {
    severity: 'warning',
    message: `${agentId} has reached a usage limit of its model; it goes on by itself when the limit has reset`,
  });
}

function whyNotRecover(draft: Draft, { order }: Incident): string | null {
  if (order?.source === 'person' && draft.hard.can.includes('spawn')) return null;
  return recoveriesLeft(draft).because;
}

/** How often Holter may still restart the agent by itself; `because` says why it may not. */
export type RecoveriesLeft = { readonly left: number; readonly because: string | null };

export function recoveriesLeft({ hard, policy, at }: Pick<Draft, 'hard' | 'policy' | 'at'>): RecoveriesLeft {
  const none = (because: string): RecoveriesLeft => ({ left: 0, because });
  if (!hard.can.includes('spawn')) return none('Holter has no way to restart it');
  if (hard.mode !== 'act') return none(`its mode is ${hard.mode}`);
  const { isEnabled, attemptsPerTaskMax, attemptsPerHourMax } = policy.recovery;
  if (!isEnabled) return none('recovery is switched off');
  const { attempts, startedAt } = recoveryOf(hard);
  if (attempts >= attemptsPerTaskMax)
    return none(`${attemptsInWords(attempts)} for this task, which is the limit`);
  const recent = startedAt.filter((each) => each > at - hours(1)).length;
  if (recent >= attemptsPerHourMax)
    return none(`${attemptsInWords(recent)} within an hour, which is the limit`);
  return { left: Math.min(attemptsPerTaskMax - attempts, attemptsPerHourMax - recent), because: null };
}

const attemptsInWords = (count: number): string => `${count} attempt${count === 1 ? '' : 's'}`;

export function orderSpawn(draft: Draft, incident: Incident): void {
  const { hard, at, policy } = draft;
  const permit = acquireBreaker(draft, RECOVERY_BREAKER, attemptMsMax(policy.recovery));
  invariant(
    permit.kind === 'permit' || incident.order?.source === 'person',
    `${incident.id} would start an agent that its breaker holds back`,
  );
  const recovery = recoveryOf(draft.hard);
  const attempt = recovery.attempts + 1;
  const kept = recovery.startedAt.filter((startedAt) => startedAt > at - hours(1));
  hard.recovery = {
    taskId: hard.task?.id ?? null,
    attempts: attempt,
    startedAt: [...kept, at].slice(-policy.recovery.attemptsPerHourMax),
    ...(permit.kind === 'permit' && { permit: { generation: permit.generation, permitId: permit.permitId } }),
  };
  wantStep(draft, incident, {
    kind: 'spawn',
    taskId: hard.task?.id ?? null,
    attempt,
    handoffNoteId: hard.handoffNoteId ?? null,
    checkpointId: incident.order?.from?.id ?? null,
  });
  amend(draft, { phase: 'acting', notBefore: undefined, wait: markNow(draft) });
}

/**
 * An attempt ends with its probation. If its permit expired sooner, no success could close the breaker. Doubled to
 * allow for Holter's own stalls.
 */
const attemptMsMax = ({ startMs, probationMs }: Draft['policy']['recovery']): DurationMs =>
  milliseconds(2 * (startMs + probationMs));

function awaitSuccessor(draft: Draft, incident: Incident): void {
  const { hard, policy, stalls } = draft;
  if (!incident.wait) return;
  const startBy = absenceDeadline(
    incident.wait.at,
    policy.recovery.startMs,
    stalls,
    graceMaxOf(hard, policy),
  );
  if (isPast(draft, startBy)) failAttempt(draft, 'no successor came up');
}

/** The attempt failed: tells a person, and goes on to the next attempt if there is one. */
export function failAttempt(draft: Draft, reason: string): void {
  const { incident } = draft.hard;
  if (!incident) return;
  if (incident.order?.from) return giveBack(draft, reason);
  tellAttemptFailed(draft, incident, reason);
  climbTo(draft, 'recover', incident.attempt + 1, reason);
  // An order covers one attempt; the next ones are Holter's own and keep to the limits.
  amend(draft, { order: undefined });
}

/** A person picked the checkpoint, so Holter does not take another one: the person has to choose again. */
function giveBack(draft: Draft, reason: string): void {
  loseAttempt(draft, reason);
  climbTo(draft, 'human', 1, `it did not start from the checkpoint that was picked: ${reason}`);
}

export function tellAttemptFailed(draft: Draft, incident: Incident, reason: string): void {
  const attempts = loseAttempt(draft, reason);
  if (draft.policy.recovery.isFailureTold === false) return;
  tellPeople(draft, incident, 'failed', {
    severity: 'critical',
    message: `${draft.hard.agentId}: recovery attempt ${attempts} failed: ${reason}`,
  });
}

/** Returns the number of the attempt. */
function loseAttempt(draft: Draft, reason: string): number {
  const { hard } = draft;
  // The failed attempt may belong to a previous task.
  const { attempts, taskId } = hard.recovery ?? recoveryOf(draft.hard);
  reportAttempt(draft, 'failure');
  emit(draft, {
    type: 'RECOVERY_FAILED',
    payload: { agentId: hard.agentId, taskId: taskId ?? hard.agentId, reason, attempts },
  });
  return attempts;
}

function watchProbation(draft: Draft): void {
  const { hard } = draft;
  if (hard.end) {
    failAttempt(draft, `it ended again: ${hard.end.detail}`);
    return;
  }
  if (hard.probation) {
    if (hard.probation.until > draft.at) lookAgainAt(draft, hard.probation.until);
    return;
  }
  completeRecovery(draft);
  // Without a task, attempts are no longer counted.
  if (!hard.task && hard.recovery) hard.recovery = { ...hard.recovery, attempts: 0 };
  closeIncident(draft, 'recovered, and probation passed');
}

/** The successor has passed its probation, or has done its work before that. */
export function completeRecovery(draft: Draft): void {
  reportAttempt(draft, 'success');
  emit(draft, {
    type: 'RECOVERY_COMPLETED',
    payload: { taskId: taskIdOf(draft), newAgentId: draft.hard.agentId },
  });
}

/** Holter's own starts go through a breaker. The roll is derived from the incident's id. */
function reportAttempt(draft: Draft, outcome: 'success' | 'failure'): void {
  const { recovery, incident } = draft.hard;
  if (!recovery?.permit) return;
  const roll = (hashText(incident?.id ?? '') % ROLLS) / ROLLS;
  reportBreaker(draft, RECOVERY_BREAKER, { ...recovery.permit, outcome }, roll);
  const { permit: _reported, ...rest } = recovery;
  draft.hard.recovery = rest;
}

const ROLLS = 1_000;

/** Attempts are counted per task and start at zero for another one; the hourly limit is per agent. */
function recoveryOf(hard: Hard): Recovery {
  const taskId = hard.task?.id ?? null;
  if (!hard.recovery) return { taskId, attempts: 0, startedAt: [] };
  return hard.recovery.taskId === taskId ? hard.recovery : { ...hard.recovery, taskId, attempts: 0 };
}

/** Events need a task id; an agent without a task uses its own id. */
export const taskIdOf = ({ hard }: Draft): string => hard.task?.id ?? hard.agentId;
