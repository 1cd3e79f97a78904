import { climbTo, closeIncident, openIncident } from '../incident/change.ts';
import { reopen } from '../incident/entry.ts';
import { isLoss } from '../incident/reason.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard, Mode, Promises } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import type { Incident, PastIncident } from '../record/incident.ts';
import type { Trail } from '../record/trail.ts';
import { AUTHORITY } from '../vocabulary/authority.ts';
import type { Registration } from './enroll.ts';

/**
 * An agent that says that it has stopped, or misses a beat on purpose, and registers again with its own token or by its
 * hooks. It must not get rid of anything in this way: not of its group and the orchestrator there, not of what Holter
 * may do and judge it by, not of its incident.
 */
export const isOwnReturn = (
  { incarnation }: Hard,
  { source = 'operator', reporter }: Registration,
): boolean => incarnation > 0 && (reporter !== undefined || AUTHORITY[source].returns === 'as-before');

/** Whether what is known of its work still holds: nobody has seen its process end. */
export const isUnseenEnd = ({ end }: Hard): boolean => end === undefined || end.isOwnWord === true;

/** From the least that Holter may do. */
const MODES: readonly Mode[] = ['observe', 'nudge', 'act'];

type Terms = Pick<Registration, 'role' | 'group' | 'mode' | 'promises' | 'can'>;

/** It may add promises and capabilities, and let Holter do more. By its role it would change how it is judged. */
export function keptTerms(old: Hard, { mode, promises, can, executor }: Registration): Terms {
  return {
    role: old.role,
    group: old.group,
    mode: MODES.indexOf(mode) > MODES.indexOf(old.mode) ? mode : old.mode,
    promises: { ...promises, ...ownPromises(old) },
    // Those of an executor end with it.
    can: old.executor === executor ? [...new Set([...old.can, ...can])] : can,
  };
}

/** Looks at its process were the promise of the executor that had started it. */
function ownPromises({ promises, executor }: Hard): Promises {
  if (executor === null) return promises;
  const { process: _looks, ...own } = promises;
  return own;
}

type Memory = Pick<Hard, 'inferred' | 'trail' | 'outcomes' | 'failuresInRow' | 'seen'>;

/** What is judged by the next call. The findings come back with it, if they still hold. */
export function keptMemory({ inferred, trail, outcomes, failuresInRow, seen }: Hard): Memory {
  return {
    inferred: inferred ?? {},
    ...(trail && { trail: restedTrail(trail) }),
    ...(outcomes !== undefined && { outcomes }),
    ...(failuresInRow !== undefined && { failuresInRow }),
    seen,
  };
}

/** Counts of tokens begin again with every start. */
const restedTrail = ({ calls, verdicts, context }: Trail): Trail => ({
  ...(calls && { calls }),
  ...(verdicts && { verdicts }),
  ...(context && { context }),
});

/** The incident goes on with its next attempt; that it ended with the agent's word is taken back. */
export function keepIncident(draft: Draft, old: Hard): void {
  const { incident, past } = draft.hard;
  if (incident) return goOn(draft, incident);
  if (past && isOfEnd(past, old, draft.policy, draft.at)) takeBack(draft, past);
}

function goOn(draft: Draft, incident: Incident): void {
  const { step, attempt, cause } = incident;
  // A start is what it waited for, or the end of the loss.
  if (step === 'recover' || isLoss(cause))
    return closeIncident(draft, 'the agent was started again, not by Holter');
  const isNudgesSpent = step === 'nudge' && attempt >= draft.policy.nudge.attemptsMax;
  climbTo(
    draft,
    isNudgesSpent ? 'escalate' : step,
    isNudgesSpent ? 1 : attempt + 1,
    'the agent has registered again',
  );
}

/** Closed because the agent said that it has ended, and not long ago. */
function isOfEnd(
  { closedAt, cause }: PastIncident,
  { end }: Hard,
  { incident }: Policy,
  at: number,
): boolean {
  if (!end || closedAt < end.at || cause === 'operator' || cause === 'ticket' || isLoss(cause)) return false;
  return at - closedAt <= incident.reopenWithinMs;
}

function takeBack(draft: Draft, past: PastIncident): void {
  if (past.step === 'nudge' || past.step === 'escalate') reopen(draft, past);
  else openIncident(draft, past.cause, 'escalate');
}
