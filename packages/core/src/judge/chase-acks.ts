import { between, inWords, later } from '../base/time.ts';
import type { PendingAck } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { ask, emit, want } from '../record/draft.ts';
import { heardInWords, letterInWords, ON_ACK_TIMEOUT, overdueAcks } from '../rule/ack-overdue.ts';
import { lifeOfStart, NOTICE_MS_MAX } from '../vocabulary/effect.ts';

/**
 * What follows once when the time for an acknowledgement is over: it is logged; the agent is reminded of a letter of
 * priority normal or high; a person is told about an urgent one, unless the agent was not heard either and the rule
 * `ackOverdue` has opened an incident.
 */
export function chaseAcks(draft: Draft): void {
  const { hard } = draft;
  if (!hard.acks || hard.end) return;
  const late = overdueAcks(draft).filter(({ isOverdue }) => !isOverdue);
  if (late.length === 0) return;
  hard.acks = hard.acks.map((ack) => (late.includes(ack) ? { ...ack, isOverdue: true as const } : ack));
  for (const ack of late) chase(draft, ack);
  const [first, ...others] = late.filter(({ priority }) => ON_ACK_TIMEOUT[priority] === 'escalate');
  const found = draft.found.find(({ kind }) => kind === 'ack-overdue');
  if (first && found?.severity === 'warn' && !isQuiet(draft)) tellPerson(draft, first, others.length);
}

function chase(draft: Draft, ack: PendingAck): void {
  const { hard, at } = draft;
  const { id, idHash, priority, delivered } = ack;
  emit(draft, {
    type: 'ACK_OVERDUE',
    payload: {
      agentId: hard.agentId,
      messageId: id ?? String(idHash),
      priority,
      waitedMs: between(delivered.at, at),
    },
  });
  const action = ON_ACK_TIMEOUT[priority];
  if (action === 'remind' || action === 'remind-then-escalate') remind(draft, ack);
}

function remind(draft: Draft, ack: PendingAck): void {
  const { hard, at } = draft;
  const { delivered, idHash } = ack;
  const message = `Holter: ${letterInWords(ack)} has been in your box for ${inWords(between(delivered.at, at))} and is not acknowledged yet.${howTo(hard.agentId, ack)}`;
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

/** Once for all that are late at the same time, as after an outage. */
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
