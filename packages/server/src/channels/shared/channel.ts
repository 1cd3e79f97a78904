import type { Instant, NoticeBody } from '@holter/core';
import type { AlertMessage } from './alert-message.ts';

/**
 * One way to reach people. The engine stores one copy of a notice per channel, in the transaction that ordered
 * it. Each copy is claimed, retried and settled separately, so that a failing channel neither delays the others
 * nor causes repeats on them.
 */
export type Channel = {
  /** Part of the stored ids of its copies, so it must never change. */
  readonly name: string;
  /** People read notices here; nothing is sent. */
  readonly isPull?: true;
  /** Most notices in a minute; further ones wait. */
  readonly perMinute?: number;
  /** It can show that somebody has acknowledged an alert; other channels are not told. */
  readonly takesAcknowledgements?: true;
  /** Failed deliveries after which a notice is abandoned; default 10. */
  readonly failuresMax?: number;
  /**
   * Delivers one notice. Called again with the same key after a failure, or after a crash before the delivery
   * was recorded. Pass the key on if the other side supports deduplication.
   */
  deliver(notice: ChannelNotice, context: DeliveryContext): Promise<Delivery>;
};

export type ChannelNotice = NoticeBody & {
  /** Idempotency key: unique to this notice on this channel, the same for every try. */
  readonly key: string;
  /** The same on every channel. */
  readonly noticeId: string;
  readonly agentId: string;
  /** The same in parts, for channels that send. */
  readonly alert: AlertMessage;
};

export type DeliveryContext = {
  readonly now: Instant;
  /** Aborted when the delivery times out; a later result is ignored. */
  readonly signal: AbortSignal;
};

export type Delivery =
  /** A service accepted it; whether a person read it is unknown. */
  | { readonly kind: 'posted'; readonly detail: string }
  /** It waits to be read; the receipt follows when it is shown to a person. */
  | { readonly kind: 'waits'; readonly detail: string }
  /** Temporary failure; tried again at `retryAt`, or after the executor's backoff. */
  | { readonly kind: 'failed'; readonly detail: string; readonly retryAt?: Instant }
  /** Permanent failure: a wrong address, an expired secret. */
  | { readonly kind: 'refused'; readonly detail: string };
