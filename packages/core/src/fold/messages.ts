import { hashText } from '../base/hash.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import type { MessagePriority } from '../vocabulary/signal.ts';
import { raisePoint } from './point.ts';

/** Unacknowledged messages that are watched. Of more, the oldest are kept. */
const ACKS_MAX = 8;

export function foldDelivered(draft: Draft, messageId: string, priority: MessagePriority): void {
  const { hard } = draft;
  const idHash = hashText(messageId);
  const acks = hard.acks ?? [];
  if (acks.length >= ACKS_MAX || acks.some((ack) => ack.idHash === idHash)) return;
  hard.acks = [...acks, { idHash, priority, delivered: markNow(draft) }];
}

export function foldAcknowledged(draft: Draft, messageId: string): void {
  const { hard } = draft;
  const idHash = hashText(messageId);
  const rest = (hard.acks ?? []).filter((ack) => ack.idHash !== idHash);
  if (rest.length === 0) forget(hard, 'acks');
  else hard.acks = rest;
}

/** Seed 001 §1.4.1: a failed delivery suggests an unreachable agent; together with silence it means offline. */
export function foldDeliveryFailed(draft: Draft, code: string): void {
  raisePoint(draft, {
    kind: 'delivery-failed',
    severity: 'warn',
    source: 'delivery-receipts',
    since: draft.at,
    evidence: `a message could not be delivered (${code.replace(/[^a-z_-]/gi, '').slice(0, 40)})`,
    threshold: 'any failed delivery',
  });
}
