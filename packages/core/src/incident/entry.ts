import type { Policy, PolicyStep } from '../policy/policy.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit } from '../record/draft.ts';
import type { PastIncident } from '../record/incident.ts';
import { tightestBudget } from '../rule/budget.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import { amend, openIncident } from './change.ts';
import { meterOf } from './cost.ts';
import { whyNotTerminate } from './terminate.ts';

/** The entry table: the finding decides at which step the incident begins. */
export function entryFor(draft: Draft, finding: Finding): LadderStep {
  const { hard, policy } = draft;
  const named = (step: PolicyStep): LadderStep =>
    step === 'terminate' && hard.mode === 'act' && hard.can.includes('terminate') ? 'terminate' : 'escalate';
  // The policy's step for a freeze is no order: two sources and a way to resume are still needed.
  if (finding.kind === 'frozen')
    return policy.freeze.step === 'terminate' && whyNotTerminate(draft) === null ? 'terminate' : 'escalate';
  switch (FINDING_KINDS[finding.kind].entry) {
    case 'nudge':
      return canNudge(draft) ? 'nudge' : 'escalate';
    case 'policy':
      return finding.kind === 'budget' ? budgetEntry(draft, named) : named(policyStep(finding, policy));
    case 'recover':
      // The end is reported but not proven; a successor needs the proof.
      return hard.end ? 'recover' : 'escalate';
    case 'escalate':
    case 'none':
      return 'escalate';
  }
}

const policyStep = ({ kind }: Finding, { limits, unrecoverableStep }: Policy): PolicyStep =>
  kind === 'limit-exceeded' ? limits.step : unrecoverableStep;

function budgetEntry(draft: Draft, named: (step: PolicyStep) => LadderStep): LadderStep {
  const atLimit = tightestBudget(draft)?.budget.atLimit;
  if (atLimit === 'nudge' && canNudge(draft)) return 'nudge';
  return named(atLimit === 'stop' ? 'terminate' : 'escalate');
}

export const canNudge = ({ hard, policy }: Draft): boolean =>
  policy.nudge.isEnabled && hard.mode !== 'observe' && hard.can.includes('nudge');

/** Opens an incident about `lead`, or reopens the last one if it was about the same condition. */
export function enterLadder(draft: Draft, lead: Finding): void {
  const { hard } = draft;
  const entry = entryFor(draft, lead);
  if (hard.past && isReopened(draft, hard.past, lead)) {
    reopen(draft, hard.past);
    return;
  }
  openIncident(draft, lead.kind, entry);
  if (entry === 'terminate') takeAdvanceOrder(draft, lead);
}

/** A step that the operator configured in advance is an order. */
export function takeAdvanceOrder(draft: Draft, lead: Finding): void {
  if (FINDING_KINDS[lead.kind].entry !== 'policy') return;
  // A successor would only spend again what the limit has stopped, because its counters start at zero.
  const afterwards = lead.kind === 'unrecoverable-error' ? 'recover' : 'stop';
  amend(draft, { order: { by: 'policy', source: 'policy', afterwards } });
}

/** A loop that changes its shape (the same call, then a cycle of two) is the same loop. */
function isSameTrouble({ cause }: PastIncident, { kind }: Finding): boolean {
  if (cause === kind) return true;
  return (
    cause !== 'operator' && FINDING_KINDS[cause].isRepeat === true && FINDING_KINDS[kind].isRepeat === true
  );
}

/** Only the first two steps are reopened. Higher steps are entered again, with their attempts kept. */
function isReopened({ at, policy }: Draft, past: PastIncident, lead: Finding): boolean {
  const isEarly = past.step === 'nudge' || past.step === 'escalate';
  return isEarly && isSameTrouble(past, lead) && at - past.closedAt <= policy.incident.reopenWithinMs;
}

/** The last step is not repeated: its next attempt is due. */
export function reopen(draft: Draft, past: PastIncident): void {
  const { hard, at, policy } = draft;
  const isNudgesSpent = past.step === 'nudge' && past.attempt >= policy.nudge.attemptsMax;
  const step = isNudgesSpent ? 'escalate' : past.step;
  const attempt = isNudgesSpent ? 1 : past.attempt + 1;
  forget(hard, 'past');
  const { id, cause } = past;
  hard.incident = { id, cause, openedAt: at, ...meterOf(draft.soft), step, attempt, phase: 'due' };
  const { agentId } = hard;
  emit(draft, {
    type: 'INCIDENT_REOPENED',
    payload: { agentId, incidentId: id, cause, step, attempt },
  });
}
