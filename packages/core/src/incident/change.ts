import { invariant } from '../base/invariant.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { ask, emit, endLife, want } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import type { AskKind, Notice } from '../vocabulary/ask.ts';
import type { Effect, EffectBody, StepRef } from '../vocabulary/effect.ts';
import { lifeOfIncident, lifeOfNudge } from '../vocabulary/effect.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import { ASKING_STEPS, LADDER } from '../vocabulary/ladder.ts';
import { costOf, meterOf } from './cost.ts';

export const rankOf = (step: LadderStep): number => LADDER.indexOf(step);

/** The id of the one effect of (incident, step, attempt), so that one decision never becomes two effects. */
export const effectIdOf = ({ id, step, attempt }: Incident): string => `${id}/${step}/${attempt}`;

export function openIncident(
  draft: Draft,
  cause: FindingKind | 'operator',
  step: LadderStep,
  attempt = 1,
): void {
  const { hard, at } = draft;
  invariant(!hard.incident, `${hard.agentId} has an open incident already`);
  hard.incidentCount += 1;
  const id = `${hard.agentId}/${hard.incidentCount}`;
  // A ticket must not make rules forget how far they had gone.
  if (cause !== 'ticket') forget(hard, 'past');
  hard.incident = { id, cause, openedAt: at, ...meterOf(draft.soft), step, attempt, phase: 'due' };
  emit(draft, { type: 'INCIDENT_OPENED', payload: { agentId: hard.agentId, incidentId: id, cause, step } });
}

export function closeIncident(draft: Draft, reason: string): void {
  const { hard, at } = draft;
  const { incident } = hard;
  if (!incident) return;
  const { id, cause, step, attempt } = incident;
  forget(hard, 'incident');
  endLife(draft, lifeOfIncident(id));
  if (step === 'nudge') endLife(draft, lifeOfNudge(incident));
  if (cause !== 'ticket' || !hard.past) hard.past = { id, cause, step, attempt, closedAt: at };
  emit(draft, {
    type: 'INCIDENT_CLOSED',
    payload: { agentId: hard.agentId, incidentId: id, reason, ...costOf(incident, draft.soft) },
  });
}

/** Up the ladder, or to the next attempt of the same step. Never down. */
export function climbTo(draft: Draft, step: LadderStep, attempt: number, reason: string): void {
  const { hard } = draft;
  const before = hard.incident;
  invariant(before, `${hard.agentId} has no incident to climb`);
  const isForward = rankOf(step) > rankOf(before.step) || (step === before.step && attempt > before.attempt);
  invariant(isForward, `${before.id} may not go from ${before.step} ${before.attempt} to ${step} ${attempt}`);
  const { id, cause, openedAt, meter, isNudgeSeen, nudges, repeatAtNudge, order, acknowledged } = before;
  const { told, denied } = before;
  if (before.step === 'nudge') endLife(draft, lifeOfNudge(before));
  hard.incident = {
    id,
    cause,
    openedAt,
    ...(meter && { meter }),
    step,
    attempt,
    phase: 'due',
    ...(isNudgeSeen && { isNudgeSeen }),
    ...(nudges && { nudges }),
    ...(repeatAtNudge && { repeatAtNudge }),
    ...(order && { order }),
    ...(told && { told }),
    ...(denied !== undefined && { denied }),
    ...(acknowledged && !ASKING_STEPS.has(step) && { acknowledged }),
  };
  emit(draft, {
    type: 'INCIDENT_STEP',
    payload: { agentId: hard.agentId, incidentId: id, step, attempt, reason },
  });
}

/** Wants the effect of the incident's current step. */
export function wantStep(draft: Draft, incident: Incident, body: EffectBody): void {
  want(draft, effectIdOf(incident), body, {
    livesBy: lifeOfIncident(incident.id),
    step: stepRefOf(incident),
  });
}

export const stepRefOf = ({ id, step, attempt }: Incident): StepRef => ({ incidentId: id, step, attempt });

/** Whether the effect belongs to the incident's current step and attempt. */
export const isOfStep = ({ step }: Pick<Effect, 'step'>, incident: Incident): boolean =>
  step !== undefined &&
  step.incidentId === incident.id &&
  step.step === incident.step &&
  step.attempt === incident.attempt;

/** Sends a notice outside the steps; once the incident is acknowledged, it is only recorded. */
export function tellPeople(
  draft: Draft,
  incident: Incident,
  name: string,
  words: Pick<Notice, 'severity' | 'message'>,
): void {
  const effectId = `${effectIdOf(incident)}/${name}`;
  if (!incident.acknowledged)
    return ask(draft, 'notice', effectId, { notice: { ...words, incidentId: incident.id } });
  const { agentId } = draft.hard;
  emit(draft, { type: 'ATTENTION_RAISED', payload: { agentId, about: effectId, message: words.message } });
}

/** Asks the fleet to grant the step; `turn` feeds the answer back. */
export function askFleet(draft: Draft, incident: Incident, kind: AskKind): void {
  const isOrdered = incident.order?.source === 'person';
  ask(draft, kind, effectIdOf(incident), isOrdered ? { isOrdered } : {});
  if (incident.phase !== 'asked') amend(draft, { phase: 'asked' });
}

/** Replaces some fields of the open incident; undefined removes one. */
export function amend(
  draft: Draft,
  fields: { readonly [Key in keyof Incident]?: Incident[Key] | undefined },
): void {
  const { hard } = draft;
  invariant(hard.incident, `${hard.agentId} has no incident to amend`);
  const next: Record<string, unknown> = { ...hard.incident, ...fields };
  for (const key of Object.keys(fields)) if (next[key] === undefined) delete next[key];
  hard.incident = next as Incident;
}
