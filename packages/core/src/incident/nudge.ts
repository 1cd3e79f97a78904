import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { isPast, ladderDeadline } from '../rule/rule.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { amend, askFleet, climbTo, wantStep } from './change.ts';
import { canNudge } from './entry.ts';
import { nudgeMessage } from './message.ts';
import { actFindings, furtherRepeats, leadOf, repeatOf } from './reason.ts';

/** Level 1: tell the agent, in its own context, what Holter sees. */
export function climbNudge(draft: Draft, incident: Incident): void {
  if (incident.phase !== 'waiting') {
    askFleet(draft, incident, 'nudge');
    return;
  }
  if (!isWaitOver(draft, incident)) return;
  const { attemptsMax } = draft.policy.nudge;
  if (incident.isNudgeLost) climbTo(draft, 'escalate', 1, 'the nudge could not be delivered');
  else if (incident.attempt < attemptsMax && canNudge(draft))
    climbTo(draft, 'nudge', incident.attempt + 1, 'the nudge changed nothing');
  else
    climbTo(
      draft,
      'escalate',
      1,
      incident.attempt === 1 ? 'the nudge changed nothing' : `${incident.attempt} nudges changed nothing`,
    );
}

export function orderNudge(draft: Draft, incident: Incident): void {
  const { hard, at } = draft;
  const lead = leadOf(actFindings(hard));
  if (!lead) {
    // The reason went away before the fleet answered; the step is due again when it comes back.
    amend(draft, { phase: 'due' });
    return;
  }
  const message = nudgeMessage(lead, incident.attempt, at);
  wantNudge(draft, incident, lead.kind, message);
  const repeatAtStep = repeatOf(actFindings(hard));
  amend(draft, { phase: 'waiting', notBefore: undefined, wait: markNow(draft), repeatAtStep });
}

export function wantNudge(
  draft: Draft,
  incident: Incident,
  about: Finding['kind'] | 'operator',
  message: string,
): void {
  wantStep(draft, incident, { kind: 'nudge', attempt: incident.attempt, about, message });
}

function isWaitOver(draft: Draft, incident: Incident): boolean {
  const { policy } = draft;
  if (furtherRepeats(draft.hard, incident.repeatAtStep) >= policy.nudge.repeatsMax) return true;
  return (
    incident.wait !== undefined && isPast(draft, ladderDeadline(draft, incident.wait, policy.nudge.waitMs))
  );
}
