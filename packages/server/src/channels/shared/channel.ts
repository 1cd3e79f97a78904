import type { Instant, NoticeBody } from '@holter/core';

/**
 * One way to reach people. The engine stores a notice once for each channel, in the transaction that wanted it;
 * from then on each copy is claimed, tried again and settled by itself, so that a channel that fails neither
 * delays another nor makes it repeat anything.
 */
export type Channel = {
  /** Part of the ids of its copies: it never changes. */
  readonly name: string;
  /** People come and read here; nothing is sent. */
  readonly isPull?: true;
  /** Failed deliveries of one notice after which it is given up; 10 unless told. */
  readonly failuresMax?: number;
  /**
   * Hands one notice over. Called again with the same key after a failure, and after a crash between sending
   * and marking: where the other side can tell repeats apart, it is given the key.
   */
  deliver(notice: ChannelNotice, context: DeliveryContext): Promise<Delivery>;
};

export type ChannelNotice = NoticeBody & {
  /** The same for every try of this notice on this channel, and for nothing else. */
  readonly key: string;
  /** The same on every channel. */
  readonly noticeId: string;
  readonly agentId: string;
};

type DeliveryContext = {
  readonly now: Instant;
  /** Aborted when the time for one delivery is over; whatever comes later is not waited for. */
  readonly signal: AbortSignal;
};

export type Delivery =
  /** A service took it. That somebody has read it is not known. */
  | { readonly kind: 'posted'; readonly detail: string }
  /** It lies where people read; its receipt comes when somebody was shown it. */
  | { readonly kind: 'waits'; readonly detail: string }
  /** Not now; at `retryAt`, or after the executor's own backoff. */
  | { readonly kind: 'failed'; readonly detail: string; readonly retryAt?: Instant }
  /** Not ever: a wrong address, a secret that is not valid any more. */
  | { readonly kind: 'refused'; readonly detail: string };
