import {
  type Agent,
  type ExecutorState,
  findingsOf,
  type Incident,
  type Instant,
  isSeen,
  later,
  type Policy,
  readyOf,
  whyNotTerminate,
} from '@holter/core';
import { findingView } from './finding-view.ts';
import type { IncidentView, NextStepView } from './types.ts';

/** What a view needs beside the record. */
export type IncidentContext = {
  readonly policy: Policy;
  readonly at: Instant;
  readonly executor: ExecutorState;
  /** The newest that a successor could start from; null or absent where they were not read. */
  readonly checkpoints?: IncidentView['ready']['checkpoints'];
};

export function incidentView({ hard }: Agent, incident: Incident, context: IncidentContext): IncidentView {
  const { policy, at, executor, checkpoints = null } = context;
  const { id, cause, openedAt, step, attempt, phase, order, acknowledged } = incident;
  return {
    incidentId: id,
    agentId: hard.agentId,
    group: hard.group,
    incarnation: hard.incarnation,
    state: hard.health,
    cause,
    openedAt,
    step,
    attempt,
    phase,
    orderedBy: order?.by ?? null,
    orderReason: (order?.source === 'person' && order.reason) || null,
    acknowledged: acknowledged ?? null,
    nudges: nudgesView(incident),
    noticedAt: incident.noticedAt ?? null,
    told: [...(incident.told ?? [])],
    next: nextStepOf(hard, incident, context),
    findings: findingsOf(hard).map(findingView),
    checkpointId: hard.checkpoint?.id ?? null,
    ready: { ...readyOf({ hard, policy, at }, executor), checkpoints },
  };
}

function nudgesView({ nudges, step, calm }: Incident): IncidentView['nudges'] {
  if (!nudges) return null;
  const isIgnored = nudges.newest === 'seen' && step !== 'nudge' && !calm;
  return isIgnored ? { ...nudges, newest: 'ignored' } : { ...nudges };
}

type When = (
  code: NextStepView['code'],
  why: string,
  moment: Instant | null,
  next?: NextStepView['step'],
) => NextStepView;

/**
 * What comes next if nothing changes, and when. A forecast for people, not a rule: stalls of Holter itself
 * push the real moment back.
 */
function nextStepOf(hard: Agent['hard'], incident: Incident, context: IncidentContext): NextStepView {
  const { policy, at } = context;
  const { step, attempt, phase, notBefore, order, calm, wait } = incident;
  const isUnseen = incident.noticedAt === undefined && !incident.acknowledged;
  const when: When = (code, why, moment, next = step) => ({
    isUnseen: false,
    step: next,
    at: moment,
    inSeconds: moment === null ? null : Math.max(0, Math.round((moment - at) / 1_000)),
    code,
    why,
  });
  const isAway = hard.executor !== null && context.executor === 'away';
  if (phase === 'acting' && isAway)
    return when('run-not-connected', 'waiting for its `holter run`, which is not connected', null);
  if (order && step === 'terminate') return when('ordered', `ordered by ${order.by}`, notBefore ?? null);
  if (step === 'recover') return recoverNext(hard, incident, at, when);
  if (calm && !order && !hard.end) {
    const isSnoozed = hard.quietFindings?.some(({ kind }) => kind === incident.cause) === true;
    const why = isSnoozed ? 'snoozed' : 'resolved';
    const heldMs = hard.heldBefore.anyMs - calm.held.anyMs;
    return when(
      isSnoozed ? 'snoozed' : 'resolved',
      why,
      later(calm.at, policy.incident.closeAfterMs + heldMs),
      'close',
    );
  }
  const waitsForYou = `waiting for you${isUnseen ? ' (not seen yet)' : ''}`;
  if (step === 'human')
    return phase === 'waiting'
      ? { ...when('waits-for-person', waitsForYou, null), isUnseen }
      : when('being-sent', 'the notice is being sent', null);
  if (hard.quiet && hard.quiet.until > at) return when('snoozed', 'snoozed', hard.quiet.until);
  // A call that is open holds too, but for a looping agent that would be every other moment.
  const holds = hard.holds.filter(({ kind }) => kind !== 'in-tool');
  if (holds.some(isSeen)) return when('on-hold', 'on hold; its timers are paused', null);
  if (holds.length > 0)
    return when(
      'on-hold-by-own-word',
      'on hold as the agent reports, which delays it for a limited time only',
      null,
    );
  if (phase === 'acting') return when('under-way', 'under way', null);
  if (phase !== 'waiting') return when('due', 'due', notBefore ?? at);
  const heldSince = wait ? hard.heldBefore.anyMs - wait.held.anyMs : 0;
  if (step === 'nudge') {
    const isLast = attempt >= policy.nudge.attemptsMax || incident.nudges?.newest === 'lost';
    const moment = wait ? later(wait.at, policy.nudge.waitMs + heldSince) : null;
    const { newest } = incident.nudges ?? {};
    const isUnread = newest === 'decided' || newest === 'offered';
    if (!isLast)
      return when(
        'nudge-again',
        `nudge ${attempt + 1} of ${policy.nudge.attemptsMax}${isUnread ? '; the last one is not read yet' : ''}`,
        moment,
      );
    return isUnread
      ? when('if-nudge-is-unread', 'if the nudge is not read', moment, 'escalate')
      : when('if-nudge-changes-nothing', 'if the nudge changes nothing', moment, 'escalate');
  }
  if (step === 'terminate') return when('ending', 'waiting for it to end', null);
  if (!wait || hard.mode !== 'act')
    return { ...when('waits-for-person', waitsForYou, null, 'human'), isUnseen };
  const obstacle = whyNotTerminate({ hard, policy });
  if (obstacle !== null)
    return {
      ...when('waits-for-person-only', `${waitsForYou}; Holter will not stop it: ${obstacle}`, null, 'human'),
      isUnseen,
    };
  const decideBy = later(wait.at, policy.escalation.waitMs + heldSince);
  return {
    ...when('if-nobody-decides', `if nobody decides; ${waitsForYou}`, decideBy, 'terminate'),
    isUnseen,
  };
}

function recoverNext(
  hard: Agent['hard'],
  { phase, notBefore, heldBack, order }: Incident,
  at: Instant,
  when: When,
): NextStepView {
  if (hard.probation)
    return hard.probation.until > at
      ? when('probation', 'on probation after its restart', hard.probation.until, 'close')
      : when('probation', 'on probation until it works again', null, 'close');
  if (phase === 'acting') return when('starting', 'a successor is being started', null);
  if (hard.limitedUntil !== undefined && notBefore !== undefined && phase === 'due' && heldBack === undefined)
    return when('usage-limit', 'its usage limit resets then', notBefore);
  if (heldBack !== undefined && notBefore !== undefined)
    return when(heldBack, HELD_BACK[heldBack], notBefore);
  // An order waits for no backoff: what it waits for is the fleet's grant.
  const isHeldBack = order?.source === 'person' && notBefore !== undefined;
  return isHeldBack
    ? when('order-waits', 'ordered; waiting until Holter may start it', notBefore)
    : when('backoff', 'waiting before the next attempt', notBefore ?? null);
}

const HELD_BACK: Readonly<Record<NonNullable<Incident['heldBack']>, string>> = {
  brake: 'many agents were lost at once, so Holter delays restarts',
  budget: 'other agents are being started first',
};
