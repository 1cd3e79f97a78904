import type { Draft } from '../record/draft.ts';
import { markNow, want } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { isPast, ladderDeadline } from '../rule/rule.ts';
import { lifeOfNudge } from '../vocabulary/effect.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { amend, askFleet, climbTo, effectIdOf, stepRefOf } from './change.ts';
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
  if (incident.nudges?.newest === 'lost') climbTo(draft, 'escalate', 1, 'the nudge could not be delivered');
  else if (incident.attempt < attemptsMax && canNudge(draft))
    climbTo(
      draft,
      'nudge',
      incident.attempt + 1,
      hasReached(incident) ? 'the nudge changed nothing' : UNREAD,
    );
  else climbTo(draft, 'escalate', 1, whatNudgesDid(incident));
}

const UNREAD = 'the nudge has not been read yet';

/** Whether the newest nudge has reached the agent. */
export const hasReached = ({ nudges }: Incident): boolean =>
  nudges?.newest === 'delivered' || nudges?.newest === 'seen';

/** A nudge that did not reach the agent was not ignored by it. */
function whatNudgesDid({ nudges }: Incident): string {
  const { decided, delivered } = nudges ?? { decided: 1, delivered: 0 };
  if (delivered === 0) return decided === 1 ? UNREAD : `none of ${decided} nudges has been read yet`;
  if (decided === 1) return 'the nudge changed nothing';
  if (delivered === decided) return `${decided} nudges changed nothing`;
  return `${delivered} of ${decided} nudges ${delivered === 1 ? 'was' : 'were'} read and changed nothing`;
}

export function orderNudge(draft: Draft, incident: Incident): void {
  const { hard, at } = draft;
  const lead = leadOf(actFindings(hard));
  if (!lead) {
    // The reason went away before the fleet answered; the step is due again when it comes back.
    amend(draft, { phase: 'due' });
    return;
  }
  const message = nudgeMessage(lead, (incident.nudges?.delivered ?? 0) + 1, at);
  wantNudge(draft, incident, lead.kind, message);
  const repeatAtStep = repeatOf(actFindings(hard));
  amend(draft, { phase: 'waiting', notBefore: undefined, wait: markNow(draft), repeatAtStep });
}

export function wantNudge(
  draft: Draft,
  incident: Incident,
  about: Finding['kind'] | 'operator',
  message: string,
  order?: 'person',
): void {
  const { attempt, nudges = { decided: 0, delivered: 0 } } = incident;
  const terms = { livesBy: lifeOfNudge(incident), step: stepRefOf(incident) };
  want(
    draft,
    effectIdOf(incident),
    { kind: 'nudge', attempt, about, message, ...(order && { order }) },
    terms,
  );
  amend(draft, { nudges: { ...nudges, decided: nudges.decided + 1, newest: 'decided' } });
}

function isWaitOver(draft: Draft, incident: Incident): boolean {
  const { policy } = draft;
  if (furtherRepeats(draft.hard, incident.repeatAtStep) >= policy.nudge.repeatsMax) return true;
  return (
    incident.wait !== undefined && isPast(draft, ladderDeadline(draft, incident.wait, policy.nudge.waitMs))
  );
}
