import { type Instant, inWords, minutes } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { emit, markNow, want } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { isPast, ladderDeadline } from '../rule/rule.ts';
import { lifeOfIncident } from '../vocabulary/effect.ts';
import { amend, askFleet, climbTo, effectIdOf, wantStep } from './change.ts';
import { sentence } from './message.ts';
import { whyNotDecide } from './obstacle.ts';
import { actFindings, leadOf } from './reason.ts';
import { denyLoopingCall, whyNotTerminate } from './terminate.ts';

/** Level 2: a person decides. The time-out starts when a notice has reached somebody. */
export function climbEscalate(draft: Draft, incident: Incident): void {
  if (incident.phase !== 'waiting') {
    askFleet(draft, incident, 'notice');
    return;
  }
  if (!incident.wait || draft.hard.mode !== 'act') return;
  if (!isPast(draft, ladderDeadline(draft, incident.wait, draft.policy.escalation.waitMs))) return;
  const obstacle = whyNotTerminate(draft);
  if (obstacle === null) climbTo(draft, 'terminate', 1, 'no decision in time');
  else climbTo(draft, 'human', 1, `no decision in time, and Holter must not act: ${obstacle}`);
}

type About = { readonly hard: Hard; readonly policy: Policy; readonly at: Instant };

/**
 * What the notice of an escalation says. A record does not know whether what could start the agent is still there; the
 * shell does, and says it again when it shows the notice.
 */
export function escalationMessage(about: About, isStarterGone = false): string {
  const { agentId } = about.hard;
  const given = { by: '', reason: '', ...(isStarterGone && { isStarterGone: true as const }) };
  const answers = [
    { decision: 'allow_more_time', forMs: minutes(1), ...given },
    { decision: 'force_handoff', ...given },
    { decision: 'terminate_and_recover', ...given },
    { decision: 'terminate', ...given },
  ] as const;
  const accepted = answers.filter((each) => whyNotDecide(about, each) === null);
  // Of an agent that can be restarted, a stop for good is no answer to this question.
  const canReturn = accepted.some(({ decision }) => decision === 'terminate_and_recover');
  const offered = accepted.flatMap(({ decision }) =>
    decision === 'terminate' && canReturn ? [] : [decision],
  );
  const list = offered.length === 0 ? '' : ` (${offered.join(', ')})`;
  return `${agentId} needs a decision${list}: ${sentence(reasonOf(about.hard))}`;
}

const reasonOf = (hard: Hard): string => leadOf(actFindings(hard))?.evidence ?? String(hard.incident?.cause);

export function orderEscalation(draft: Draft, incident: Incident): void {
  const { hard, policy } = draft;
  const reason = reasonOf(hard);
  // Acknowledged while the fleet deferred it, so no notice is needed.
  const isKnown = incident.acknowledged !== undefined;
  if (!isKnown) {
    wantStep(draft, incident, {
      kind: 'notify',
      audience: 'orchestrator',
      severity: 'warning',
      message: escalationMessage(draft),
      incidentId: incident.id,
    });
  }
  warnAgent(draft, incident);
  denyLoopingCall(draft, incident);
  emit(draft, {
    type: 'ESCALATION_TRIGGERED',
    payload: { agentId: hard.agentId, reason, incidentId: incident.id },
  });
  amend(draft, {
    phase: 'waiting',
    notBefore: undefined,
    wait: isKnown || policy.escalation.isUnattended ? markNow(draft) : undefined,
  });
}

/** An agent that Holter may restart by itself is told in time to save its work: by default, 15 minutes before. */
function warnAgent(draft: Draft, incident: Incident): void {
  const { hard, policy } = draft;
  const mayRestart =
    incident.cause !== 'ticket' &&
    hard.mode === 'act' &&
    hard.can.includes('terminate') &&
    hard.can.includes('spawn');
  if (!mayRestart) return;
  const message = `Holter: somebody has been asked what to do about you. If nothing changes, you may be restarted in ${inWords(policy.escalation.waitMs)}. A checkpoint now keeps your work.`;
  want(
    draft,
    `${effectIdOf(incident)}/warning`,
    { kind: 'remind', message },
    { livesBy: lifeOfIncident(incident.id) },
  );
}
