import { between, inWords, seconds } from '../base/time.ts';
import type { PendingAck } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { lastProofOf, missesAt, pulseOf } from '../record/liveness.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { MessagePriority } from '../vocabulary/signal.ts';
import { asBefore, deadlineAfter, finding, isPast } from './rule.ts';

/** Seed 001 §1.4.3: what follows when a letter of this priority is not acknowledged in time. */
export const ON_ACK_TIMEOUT: Readonly<
  Record<MessagePriority, 'escalate' | 'remind-then-escalate' | 'remind' | 'log'>
> = {
  urgent: 'escalate',
  high: 'remind-then-escalate',
  normal: 'remind',
  low: 'log',
};

/**
 * The most severe of the overdue acknowledgements. A late acknowledgement alone is no failure (seed 001 §1.4.3): the
 * agent may be busy, wait for a person or read a large context. So it acts only together with missed beats, and holds
 * stop its clock; otherwise it warns.
 *
 * Blind spot: an agent that beats and never reads. A person is told about its urgent letters, and its pongs show it.
 */
export function ackOverdue(draft: Draft): Finding | null {
  const { hard } = draft;
  if (!hard.acks || hard.end) return null;
  if (hard.holds.length > 0) {
    const before = asBefore(draft, 'ack-overdue');
    return hard.acks.some(({ delivered }) => delivered.at === before?.since) ? before : null;
  }
  const overdue = overdueAcks(draft).filter(({ priority }) => ON_ACK_TIMEOUT[priority] !== 'log');
  if (overdue.length === 0) return null;
  const failing = hasStoppedBeating(draft) ? overdue.find((ack) => isFailure(draft, ack)) : undefined;
  const worst = failing ?? overdue[0];
  return worst ? overdueFinding(draft, worst, failing ? 'act' : 'warn', overdue.length) : null;
}

/** During a hold the deadlines move with the time: none will pass, so there is nothing to be woken for. */
export function overdueAcks(draft: Draft): readonly PendingAck[] {
  const { hard, at, policy } = draft;
  const isHeld = hard.holds.length > 0;
  return (hard.acks ?? []).filter(({ delivered, priority }) => {
    const deadline = deadlineAfter(draft, delivered, policy.ackMs[priority]);
    return isHeld ? deadline <= at : isPast(draft, deadline);
  });
}

function overdueFinding(draft: Draft, ack: PendingAck, severity: 'warn' | 'act', count: number): Finding {
  const { at, policy } = draft;
  const others = count > 1 ? `, nor ${count - 1} more` : '';
  const heard = severity === 'warn' ? `; it was last heard ${heardInWords(draft)}` : '';
  return finding({
    kind: 'ack-overdue',
    severity,
    source: 'delivery-receipts',
    since: ack.delivered.at,
    evidence: `has not acknowledged ${letterInWords(ack)} for ${inWords(between(ack.delivered.at, at))}${others}${heard}`,
    threshold: `${inWords(policy.ackMs[ack.priority])} for priority ${ack.priority}, and missed beats to act`,
  });
}

export function heardInWords(draft: Draft): string {
  const silentMs = between(lastProofOf(draft), draft.at);
  return silentMs < seconds(1) ? 'just now' : `${inWords(silentMs)} ago`;
}

export const letterInWords = ({ id, priority }: PendingAck): string =>
  `a letter of priority ${priority}${id === undefined ? '' : ` (${id})`}`;

/** Of an agent whose beats have stopped. */
function isFailure(draft: Draft, { delivered, priority }: PendingAck): boolean {
  switch (ON_ACK_TIMEOUT[priority]) {
    case 'escalate':
      return true;
    case 'remind-then-escalate':
      return isPast(draft, deadlineAfter(draft, delivered, 2 * draft.policy.ackMs[priority]));
    case 'remind':
    case 'log':
      return false;
  }
}

/** Of an agent that has promised neither beats nor pongs, this is never known. */
const hasStoppedBeating = (draft: Draft): boolean =>
  pulseOf(draft.hard) === 'beats' &&
  missesAt(draft, draft.at, draft.policy, draft.stalls).count >= draft.policy.beat.missedMax;
