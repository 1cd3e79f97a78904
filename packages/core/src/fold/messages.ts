import { hashText } from '../base/hash.ts';
import type { Instant } from '../base/time.ts';
import type { PendingAck } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { markNow } from '../record/draft.ts';
import { NOTHING_HELD } from '../vocabulary/hold.ts';
import type { MessagePriority } from '../vocabulary/signal.ts';
import { raisePoint } from './point.ts';

/** As many as a box holds, so that every letter is awaited. Each takes about 150 bytes of the record. */
export const ACKS_MAX = 1_000;

/** The ids of letters are shorter. */
const ID_LENGTH_MAX = 64;

const RANK: Readonly<Record<MessagePriority, number>> = { urgent: 3, high: 2, normal: 1, low: 0 };

export function foldDelivered(draft: Draft, messageId: string, priority: MessagePriority): void {
  const { hard } = draft;
  const idHash = hashText(messageId);
  const acks = hard.acks ?? [];
  if (acks.some((ack) => ack.idHash === idHash)) return;
  const id = messageId.slice(0, ID_LENGTH_MAX);
  hard.acks = withoutLeast([...acks, { idHash, id, priority, delivered: markNow(draft) }]);
}

/** More are awaited only if some of them are in the box no longer: of the least urgent, the oldest goes. */
function withoutLeast(acks: readonly PendingAck[]): readonly PendingAck[] {
  if (acks.length <= ACKS_MAX) return acks;
  const least = acks.reduce((a, b) => (RANK[b.priority] < RANK[a.priority] ? b : a));
  return acks.filter((ack) => ack !== least);
}

export function foldAcknowledged(draft: Draft, messageId: string): void {
  const { hard } = draft;
  const idHash = hashText(messageId);
  const rest = (hard.acks ?? []).filter((ack) => ack.idHash !== idHash);
  if (rest.length === 0) forget(hard, 'acks');
  else hard.acks = rest;
}

/** The successor inherits the box: it has the whole time for each letter again. */
export const rearmedAcks = (acks: readonly PendingAck[], at: Instant): readonly PendingAck[] =>
  acks.map(({ isOverdue: _isOverdue, ...ack }) => ({ ...ack, delivered: { at, held: NOTHING_HELD } }));

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
