import type { Agent, Instant } from '@holter/core';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import type { Letters } from '../store/letters.ts';
import { directiveLetter } from './directive-letter.ts';

type BringContext = {
  readonly replies: Pick<ReplyQueue, 'offered' | 'take'>;
  readonly store: Pick<Letters, 'putLetter'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

/**
 * What waits for the agent's next call is put into its box: a letter is one more way for it. It is taken from the queue,
 * and so counts as delivered, only when it is stored; brought again, it is stored once.
 */
export async function bringDirectives(
  { replies, store, name }: BringContext,
  { hard: { agentId: to, incarnation } }: Agent,
  { at, newLetterId }: { readonly at: Instant; readonly newLetterId: (at: Instant) => string },
): Promise<void> {
  const offered = replies.offered(to, incarnation);
  for (const directive of offered) {
    const letter = directiveLetter(directive, { from: name(), to, at, letterId: newLetterId(at) });
    await store.putLetter({ letter, acknowledges: null, boxMax: Number.POSITIVE_INFINITY });
  }
  if (offered.length > 0) replies.take(to, incarnation, new Set(offered.map(({ id }) => id)));
}
