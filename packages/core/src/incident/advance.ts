import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit, lookAgainAt, markNow } from '../record/draft.ts';
import type { Incident } from '../record/incident.ts';
import { endedHow, isToReturn } from '../record/liveness.ts';
import { agedHold } from '../rule/hold-age.ts';
import { deadlineAfter, isPast } from '../rule/rule.ts';
import type { Finding } from '../vocabulary/finding.ts';
import { FINDING_KINDS } from '../vocabulary/finding.ts';
import type { HoldKind } from '../vocabulary/hold.ts';
import { amend, climbTo, closeIncident, rankOf } from './change.ts';
import { enterLadder, entryFor, takeAdvanceOrder } from './entry.ts';
import { climbEscalate } from './escalate.ts';
import { climbHuman } from './human.ts';
import { climbNudge } from './nudge.ts';
import { quietAbout } from './quiet.ts';
import { actFindings, isDelayed, isLoss, isOrdered, leadOf, ownThresholdMs } from './reason.ts';
import { climbRecover, completeRecovery, tellAttemptFailed } from './recover.ts';
import { isReplaced, replace } from './replace.ts';
import { climbTerminate, reasonFor } from './terminate.ts';

/** More moves than the ladder has steps can't follow from one input. */
const MOVES_MAX = 12;

/** Opens, climbs and closes the incident, as far as possible at this moment. */
export function advance(draft: Draft): void {
  for (let moves = 0; moves < MOVES_MAX; moves++) {
    const before = draft.hard.incident;
    move(draft);
    if (draft.hard.incident === before) return;
  }
}

function move(draft: Draft): void {
  const { hard } = draft;
  const findings = actFindings(hard);
  const first = leadOf(findings);
  const { incident } = hard;
  // A ticket leads its own incident, and no other.
  const isOwn = !incident || incident.cause === 'ticket';
  const lead = first && FINDING_KINDS[first.kind].isOpinion && !isOwn ? null : first;
  if (!incident) {
    // Quiet applies to a living agent. A proven end overrides it, and then is the only finding that matters.
    if (lead && (hard.end ? lead.kind === 'process-gone' : !isQuiet(draft))) enterLadder(draft, lead);
    return;
  }
  if (hard.end) return moveGone(draft, incident);
  if (isReplaced(hard, incident)) return replace(draft, incident);
  if (lead && isOvertaken(draft, incident, lead))
    return closeIncident(draft, `a rule has found it itself: ${lead.evidence}`);
  // The loop stopped, so the nudge worked; a new loop later does not count as ignoring it.
  const { repeatAtNudge } = incident;
  if (repeatAtNudge && !findings.some(({ kind }) => kind === repeatAtNudge.kind))
    return amend(draft, { repeatAtNudge: undefined });
  if (incident.step === 'recover') return moveRecovered(draft, incident, lead?.evidence ?? null);
  if (!lead && !isOrdered(draft)) return restCalm(draft, incident);
  if (incident.calm) return amend(draft, { calm: undefined });
  // A quiet agent is left alone. A person's order overrides quiet.
  const isPersonal = incident.order?.source === 'person';
  if (!isPersonal && isQuiet(draft)) return;
  if (lead && !isHeldBack(draft, incident, lead) && maybeSkip(draft, incident, lead)) return;
  if (!lead || !isHeldBack(draft, incident, lead)) climb(draft, incident);
}

/** What rules find begins at its own step of the ladder, as if there had been no ticket. */
const isOvertaken = (draft: Draft, { cause }: Incident, lead: Finding): boolean =>
  cause === 'ticket' && !FINDING_KINDS[lead.kind].isOpinion && !isOrdered(draft);

/** In these holds the process may be still, so that it is not heard needs no notice. */
const STILL: ReadonlySet<HoldKind> = new Set<HoldKind>(['asleep', 'paused-by-operator', 'hibernated']);

/**
 * An agent on hold is left alone. But a hold does not excuse a loss: a tool or a prompt may last for ever because
 * its agent is dead, so people are told even then. Without an order, nothing is done to an agent on hold.
 */
function isHeldBack(draft: Draft, incident: Incident, lead: Finding): boolean {
  const { holds } = draft.hard;
  if (holds.length === 0 || isOrdered(draft)) return false;
  if (incident.step === 'terminate' || !isLoss(lead.kind)) return isDelayed(draft, incident);
  if (!holds.some(({ kind }) => STILL.has(kind))) return false;
  // It says that it is still, and is: that becomes a matter for people with the age of the hold.
  return isLoss(incident.cause) ? agedHold(draft) === null : isDelayed(draft, incident);
}

/** A more severe finding does not wait for the steps below its own entry. */
function maybeSkip(draft: Draft, incident: Incident, lead: Finding): boolean {
  if (isOrdered(draft) || rankOf(incident.step) >= rankOf('terminate')) return false;
  // Even if no channel can nudge: a nudge that a person ordered gets its wait.
  if (FINDING_KINDS[lead.kind].entry === 'nudge') return false;
  const entry = entryFor(draft, lead);
  if (rankOf(entry) <= rankOf(incident.step)) return false;
  climbTo(draft, entry, 1, lead.evidence);
  if (entry === 'terminate') takeAdvanceOrder(draft, lead);
  return true;
}

function climb(draft: Draft, incident: Incident): void {
  if (incident.notBefore !== undefined && incident.notBefore > draft.at) {
    lookAgainAt(draft, incident.notBefore);
    return;
  }
  switch (incident.step) {
    case 'nudge':
      return climbNudge(draft, incident);
    case 'escalate':
      return climbEscalate(draft, incident);
    case 'terminate':
      return climbTerminate(draft, incident);
    case 'recover':
      return climbRecover(draft, incident);
    case 'human':
      return climbHuman(draft, incident);
  }
}

/**
 * The end is proven. If it was intended, the incident closes; otherwise the agent is recovered, unless ordered not
 * to be.
 */
function moveGone(draft: Draft, incident: Incident): void {
  const { hard } = draft;
  const { end } = hard;
  if (!end) return;
  if (incident.step === 'terminate' && end.byHolter) tellTerminated(draft, incident);
  // An agent that Holter stops may exit with 0; that is not an end by the agent's own choice.
  if (end.how !== 'crash' && !end.byHolter) {
    if (incident.step === 'recover' && incident.phase === 'waiting') completeRecovery(draft);
    return closeIncident(draft, `the agent ${endedHow(end)}`);
  }
  if (!end.byHolter && !isToReturn(hard)) return closeIncident(draft, `it ended: ${end.detail}`);
  if (rankOf(incident.step) >= rankOf('recover')) return climb(draft, incident);
  if (incident.order?.afterwards === 'stop')
    return closeIncident(draft, `stopped, as ordered by ${incident.order.by}`);
  climbTo(
    draft,
    'recover',
    1,
    end.byHolter ? 'stopped, to be restarted' : `its process is gone: ${end.detail}`,
  );
}

function tellTerminated(draft: Draft, incident: Incident): void {
  const { agentId, checkpoint, end } = draft.hard;
  emit(draft, {
    type: 'AGENT_TERMINATED',
    payload: {
      agentId,
      reason: end?.because ?? reasonFor(draft, incident),
      ...(checkpoint && { checkpoint: checkpoint.id }),
    },
  });
}

/** A successor runs. A finding against it means that this recovery failed, and a new incident begins. */
function moveRecovered(draft: Draft, incident: Incident, complaint: string | null): void {
  if (incident.phase === 'waiting' && complaint !== null) {
    if (isQuiet(draft)) return;
    tellAttemptFailed(draft, incident, complaint);
    closeIncident(draft, 'the recovered agent is in trouble again');
    return;
  }
  climb(draft, incident);
}

/** No step is taken while nothing is found. After long enough, the incident closes. */
function restCalm(draft: Draft, incident: Incident): void {
  const { hard, policy } = draft;
  if (!incident.calm) return amend(draft, { calm: markNow(draft) });
  if (hard.holds.length > 0) return;
  const calmMs = Math.max(policy.incident.closeAfterMs, ownThresholdMs(incident.cause, hard, policy));
  if (!isPast(draft, deadlineAfter(draft, incident.calm, calmMs))) return;
  const { cause } = incident;
  const quiet = cause === 'operator' ? undefined : quietAbout(hard, cause);
  closeIncident(draft, quiet ? `snoozed by ${quiet.by}` : 'resolved');
}

function isQuiet(draft: Draft): boolean {
  const { hard, at } = draft;
  if (!hard.quiet) return false;
  if (hard.quiet.until <= at) {
    forget(hard, 'quiet');
    return false;
  }
  lookAgainAt(draft, hard.quiet.until);
  return true;
}
