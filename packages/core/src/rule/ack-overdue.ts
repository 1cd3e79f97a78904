import { between, inWords, later } from '../base/time.ts';
import type { PendingAck } from '../record/agent.ts';
import type { Draft } from '../record/draft.ts';
import { want } from '../record/draft.ts';
import { lifeOfStart, NOTICE_MS_MAX } from '../vocabulary/effect.ts';
import type { Finding } from '../vocabulary/finding.ts';
import type { MessagePriority } from '../vocabulary/signal.ts';
import { asBefore, deadlineAfter, finding, isPast } from './rule.ts';

/** Seed 001 §1.4.3: what follows when a message of this priority is not acknowledged in time. */
const onTimeout: Readonly<Record<MessagePriority, 'escalate' | 'remind-then-escalate' | 'remind' | 'log'>> = {
  urgent: 'escalate',
  high: 'remind-then-escalate',
  normal: 'remind',
  low: 'log',
};

/** The most severe of the overdue acknowledgements. Holds stop the clock, because the agent may be busy. */
export function ackOverdue(draft: Draft): Finding | null {
  const { hard, at } = draft;
  if (!hard.acks || hard.end) return null;
  if (hard.holds.length > 0) {
    const before = asBefore(draft, 'ack-overdue');
    return hard.acks.some(({ delivered }) => delivered.at === before?.since) ? before : null;
  }
  let worst: Finding | null = null;
  for (const ack of hard.acks) {
    const severity = severityOf(draft, ack);
    if (severity === null || worst?.severity === 'act') continue;
    worst = finding({
      kind: 'ack-overdue',
      severity,
      source: 'delivery-receipts',
      since: ack.delivered.at,
      evidence: `has not acknowledged a message of priority ${ack.priority} for ${inWords(between(ack.delivered.at, at))}`,
      threshold: `${inWords(draft.policy.ackMs[ack.priority])} for priority ${ack.priority}`,
    });
  }
  return worst;
}

function severityOf(draft: Draft, ack: PendingAck): 'warn' | 'act' | null {
  const limit = draft.policy.ackMs[ack.priority];
  if (!isPast(draft, deadlineAfter(draft, ack.delivered, limit))) return null;
  switch (onTimeout[ack.priority]) {
    case 'escalate':
      return 'act';
    case 'remind-then-escalate':
      remindOnce(draft, ack);
      return isPast(draft, deadlineAfter(draft, ack.delivered, 2 * limit)) ? 'act' : 'warn';
    case 'remind':
      remindOnce(draft, ack);
      return 'warn';
    case 'log':
      return 'warn';
  }
}

function remindOnce(draft: Draft, ack: PendingAck): void {
  if (ack.isReminded) return;
  const { hard } = draft;
  hard.acks = (hard.acks ?? []).map((other) =>
    other === ack ? { ...other, isReminded: true as const } : other,
  );
  const message = `Holter: a message of priority ${ack.priority} was delivered to you and not acknowledged yet.`;
  want(
    draft,
    `${hard.agentId}#${hard.incarnation}/remind/${ack.idHash}/${ack.delivered.at}`,
    { kind: 'remind', message },
    { livesBy: lifeOfStart(hard.agentId, hard.incarnation), until: later(draft.at, NOTICE_MS_MAX) },
  );
}
