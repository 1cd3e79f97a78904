import { between, inWords, later } from '../base/time.ts';
import type { PendingAck } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { ask, emit, want } from '../record/draft.ts';
import { lastProofOf } from '../record/liveness.ts';
import { heardInWords, letterInWords, ON_ACK_TIMEOUT, overdueAcks } from '../rule/ack-overdue.ts';
import { deadlineAfter } from '../rule/rule.ts';
import { lifeOfStart, NOTICE_MS_MAX } from '../vocabulary/effect.ts';

/**
 * What follows once when the time for an acknowledgement is over: it is logged; the agent is reminded of a letter of
 * priority normal or high; a person is told about an urgent one, unless the agent was not heard either and the rule
 * `ackOverdue` has opened an incident. Of letters that are late at the same time, as after an outage or for a
 * successor, one reminder and one notice tell, and no second reminder waits for an agent that is not heard.
 */
export function chaseAcks(draft: Draft): void {
  const { hard } = draft;
  if (!hard.acks || hard.end) return;
  const late = overdueAcks(draft).filter(({ isOverdue }) => !isOverdue);
  if (late.length === 0) return;
  const isReminded = hasUnreadReminder(draft);
  const isLate = new Set(late);
  hard.acks = hard.acks.map((ack) => (isLate.has(ack) ? { ...ack, isOverdue: true as const } : ack));
  for (const ack of late) log(draft, ack);
  const [slow, ...more] = REMINDERS.flatMap((action) =>
    late.filter(({ priority }) => ON_ACK_TIMEOUT[priority] === action),
  );
  if (slow && !isReminded) remind(draft, slow, more.length);
  const [first, ...others] = late.filter(({ priority }) => ON_ACK_TIMEOUT[priority] === 'escalate');
  const found = draft.found.find(({ kind }) => kind === 'ack-overdue');
  if (first && found?.severity === 'warn' && !isQuiet(draft)) tellPerson(draft, first, others.length);
}

/** The most urgent first. */
const REMINDERS = ['remind-then-escalate', 'remind'] as const;

/** It was not heard since it was reminded of a letter: that reminder still waits for it. */
const hasUnreadReminder = (draft: Draft): boolean =>
  (draft.hard.acks ?? []).some(
    ({ isOverdue, priority, delivered }) =>
      isOverdue &&
      REMINDERS.some((action) => ON_ACK_TIMEOUT[priority] === action) &&
      deadlineAfter(draft, delivered, draft.policy.ackMs[priority]) > lastProofOf(draft),
  );

function log(draft: Draft, { id, idHash, priority, delivered }: PendingAck): void {
  const { hard, at } = draft;
  emit(draft, {
    type: 'ACK_OVERDUE',
    payload: {
      agentId: hard.agentId,
      messageId: id ?? String(idHash),
      priority,
      waitedMs: between(delivered.at, at),
    },
  });
}

function remind(draft: Draft, ack: PendingAck, others: number): void {
  const { hard, at } = draft;
  const { delivered, idHash } = ack;
  const more = others > 0 ? `, nor ${others === 1 ? 'is' : 'are'} ${others} more` : '';
  const message = `Holter: ${letterInWords(ack)} has been in your box for ${inWords(between(delivered.at, at))} and is not acknowledged yet${more}.${howTo(hard.agentId, ack)}`;
  want(
    draft,
    `${hard.agentId}#${hard.incarnation}/remind/${idHash}/${delivered.at}`,
    { kind: 'remind', message },
    { livesBy: lifeOfStart(hard.agentId, hard.incarnation), until: later(at, NOTICE_MS_MAX) },
  );
}

/** For an agent with a terminal, and for one with calls of its own. */
const howTo = (agentId: string, { id }: PendingAck): string =>
  id === undefined
    ? ''
    : ` To acknowledge it: holter mail ack ${id} --box ${agentId}, or PATCH /api/messages?agent=${agentId}&id=${id}&action=acknowledge.`;

function tellPerson(draft: Draft, ack: PendingAck, others: number): void {
  const { hard, at } = draft;
  const { agentId, incarnation } = hard;
  const { delivered, idHash } = ack;
  const waited = inWords(between(delivered.at, at));
  const more = others > 0 ? `, nor ${others} more` : '';
  const message = `${agentId} has not acknowledged ${letterInWords(ack)} for ${waited}${more}. It was last heard ${heardInWords(draft)} and may be busy; nothing is done to it. Please look.`;
  ask(draft, 'notice', `${agentId}#${incarnation}/ack/${idHash}/${delivered.at}`, {
    notice: { severity: 'warning', message, incidentId: null },
  });
}

const isQuiet = ({ hard, at }: Draft): boolean =>
  (hard.quiet !== undefined && hard.quiet.until > at) ||
  hard.quietFindings?.some(({ kind }) => kind === 'ack-overdue') === true;
