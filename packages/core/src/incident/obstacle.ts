import { assertNever } from '../base/invariant.ts';
import type { Instant } from '../base/time.ts';
import type { Policy } from '../policy/policy.ts';
import type { Hard } from '../record/agent.ts';
import { allFindings } from '../record/findings.ts';
import type { Incident } from '../record/incident.ts';
import type { Decision } from '../record/input.ts';
import { endedHow, isStoppable } from '../record/liveness.ts';
import type { PickedCheckpoint } from '../vocabulary/checkpoint-chain.ts';
import { executorInWords } from '../vocabulary/executor.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { DecisionRejection } from '../vocabulary/rejection.ts';
import { QUIET_FINDINGS_MAX, quietAbout } from './quiet.ts';
import { isLostElsewhere } from './replace.ts';

type About = { readonly hard: Hard; readonly policy: Policy; readonly at: Instant };

/** Why the decision can't be carried out now; null if it can. */
export function whyNotDecide({ hard, policy, at }: About, decision: Decision): DecisionRejection | null {
  if (decision.incidentId !== undefined && decision.incidentId !== hard.incident?.id)
    return rejected('incident-not-open', 'that incident is not open');
  const isActing = hard.incident?.phase === 'acting';
  switch (decision.decision) {
    case 'nudge':
      if (hard.end) return rejected('agent-ended', 'the agent has ended');
      return hard.can.includes('nudge') && policy.nudge.isEnabled
        ? null
        : rejected('can-not-nudge', 'nothing can nudge it');
    case 'recover':
      if (!hard.end)
        return rejected(
          'not-ended',
          'the agent is not known to have ended; terminate_and_recover stops it first',
        );
      if (isActing) return rejected('start-under-way', 'a start is under way');
      // Only a crash or a termination is undone; what ended by itself would be closed again at once.
      if (hard.end.how !== 'crash' && !hard.end.byHolter)
        return rejected(
          'ended-on-purpose',
          `it ${endedHow(hard.end, `ended on purpose (${hard.end.detail})`)}; start it again where it was started`,
        );
      return whyNotStart(hard, decision) ?? whyNotFrom(decision.from);
    case 'force_handoff':
    case 'terminate':
    case 'terminate_and_recover':
      if (hard.end) return rejected('agent-ended', 'the agent has ended; recover brings it back');
      if (isActing && hard.incident?.order)
        return rejected('termination-under-way', 'a termination is under way');
      if (!isStoppable(hard)) return rejected('can-not-stop', whyNotStoppable(hard));
      if (decision.decision === 'terminate') return null;
      return whyNotStart(hard, decision) ?? whyNotFrom('from' in decision ? decision.from : undefined);
    case 'replace':
      return whyNotReplace(hard, decision);
    case 'dismiss':
      if (decision.finding !== undefined) return whyNotWrong(hard, decision.finding);
      if (hard.end && !hard.incident)
        return rejected('agent-ended', 'the agent has ended, and nothing restarts it');
      return hard.end && isActing ? rejected('start-under-way', 'a start is under way') : null;
    case 'allow_more_time':
      if (hard.end) return rejected('agent-ended', 'the agent has ended');
      return decision.finding === undefined ? null : whyNotSnooze(hard, decision.finding);
    case 'wake':
      if (decision.finding === undefined)
        return hard.quiet && hard.quiet.until > at ? null : rejected('not-quiet', 'it is not snoozed');
      return quietAbout(hard, decision.finding)
        ? null
        : rejected('not-quiet', `${decision.finding} is not snoozed`);
    case 'acknowledge':
      return whyNotAcknowledge(hard.incident);
    case 'pause':
    case 'resume':
      return whyNotPause(hard, decision.decision);
    default:
      return assertNever(decision);
  }
}

function whyNotPause({ end, holds }: Hard, word: 'pause' | 'resume'): DecisionRejection | null {
  if (end) return rejected('agent-ended', 'the agent has ended');
  const isPaused = holds.some(({ kind }) => kind === 'paused-by-operator');
  if (word === 'pause') return isPaused ? rejected('paused-already', 'monitoring is already paused') : null;
  return isPaused ? null : rejected('not-paused', 'monitoring is not paused');
}

function whyNotStart({ can, executor }: Hard, { isStarterGone }: Decision): DecisionRejection | null {
  if (!can.includes('spawn')) return rejected('can-not-start', 'Holter has no way to restart it');
  return isStarterGone
    ? rejected(
        'can-not-start',
        `its ${executorInWords(executor ?? '')} is gone; start it again where it was started`,
      )
    : null;
}

const whyNotStoppable = ({ can }: Hard): string =>
  can.includes('terminate')
    ? 'only the agent can stop itself, and it is not responding'
    : 'Holter has no way to stop it';

/** Approval is a person's. An agent that is heard, or whose process is seen, is stopped first. */
function whyNotReplace(hard: Hard, decision: Decision): DecisionRejection | null {
  if (hard.end) return rejected('agent-ended', 'the agent has ended; recover brings it back');
  if (decision.source !== undefined)
    return rejected('needs-approval', 'a replacement needs the approval of a person');
  if (hard.unknownSince === undefined)
    return rejected('not-lost', 'it is heard; terminate_and_recover stops it first');
  if (!isLostElsewhere(hard))
    return rejected('not-lost', 'its process is watched; terminate_and_recover stops it first');
  // Where nothing can start a successor, it is given up, and a person starts the next one.
  return hard.can.includes('spawn') ? whyNotStart(hard, decision) : null;
}

/** An agent is not stopped if its successor could not start. */
function whyNotFrom(from: PickedCheckpoint | undefined): DecisionRejection | null {
  if (from?.flaw === undefined) return null;
  switch (from.flaw) {
    case 'missing':
      return rejected('checkpoint-unusable', `there is no checkpoint ${from.id} of this agent`);
    case 'foreign-task':
      return rejected('checkpoint-unusable', `checkpoint ${from.id} belongs to another task`);
    default:
      return rejected('checkpoint-unusable', `checkpoint ${from.id} is damaged`);
  }
}

function whyNotAcknowledge(incident: Incident | undefined): DecisionRejection | null {
  if (!incident) return rejected('incident-not-open', 'no incident is open');
  return incident.acknowledged
    ? rejected('acknowledged-already', `${incident.acknowledged.by} has acknowledged it already`)
    : null;
}

/** Another kind may be snoozed while there is room; a snoozed kind may always be snoozed again. */
function whyNotSnooze(hard: Hard, finding: FindingKind): DecisionRejection | null {
  if (quietAbout(hard, finding) || (hard.quietFindings ?? []).length < QUIET_FINDINGS_MAX) return null;
  return rejected(
    'too-many-snoozed',
    `${QUIET_FINDINGS_MAX} kinds of findings are snoozed already; wake one first`,
  );
}

function whyNotWrong(hard: Hard, finding: FindingKind): DecisionRejection | null {
  if (hard.end) return rejected('agent-ended', 'the agent has ended');
  if (!allFindings(hard).some(({ kind }) => kind === finding))
    return rejected('finding-not-held', `${finding} is not found`);
  return whyNotSnooze(hard, finding);
}

const rejected = (code: DecisionRejection['code'], because: string): DecisionRejection => ({ code, because });
