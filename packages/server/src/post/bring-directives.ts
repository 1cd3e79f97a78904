import type { Agent, Directive, Instant } from '@holter/core';
import type { ReplyQueue } from '../engine/reply-queue.ts';
import { isTokenless } from '../intake/index.ts';
import type { Letters } from '../store/letters.ts';
import { directiveLetter } from './directive-letter.ts';

type BringContext = {
  readonly replies: Pick<ReplyQueue, 'offered' | 'take'>;
  readonly store: Pick<Letters, 'putLetter'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

type Pen = { readonly at: Instant; readonly newLetterId: (at: Instant) => string };

/**
 * What waits for the agent's next call is put into its box: a letter is one more way for it. It is taken from the queue,
 * and so counts as delivered, only when it is stored; brought again, it is stored once.
 */
export async function bringDirectives(context: BringContext, agent: Agent, pen: Pen): Promise<void> {
  const { agentId, incarnation } = agent.hard;
  const offered = context.replies.offered(agentId, incarnation);
  for (const directive of offered) await put(context, agentId, directive, pen);
  if (offered.length > 0) context.replies.take(agentId, incarnation, new Set(offered.map(({ id }) => id)));
}

/**
 * An agent that is reached by letters is asked in its box as soon as that is decided, and not only when it opens it.
 * The inquiry goes on waiting in the queue, because nobody has got it yet. Only inquiries: one that is not wanted any
 * more does no harm in a box, but a request to stop does.
 */
export async function leaveInquiries(context: BringContext, agent: Agent, pen: Pen): Promise<boolean> {
  const { agentId, incarnation, promises } = agent.hard;
  if (!promises.pongs && !isTokenless(agent)) return false;
  const inquiries = context.replies.offered(agentId, incarnation).filter(({ type }) => type === 'inquiry');
  for (const inquiry of inquiries) await put(context, agentId, inquiry, pen);
  return inquiries.length > 0;
}

async function put(
  { store, name }: BringContext,
  to: string,
  directive: Directive,
  { at, newLetterId }: Pen,
): Promise<void> {
  const letter = directiveLetter(directive, { from: name(), to, at, letterId: newLetterId(at) });
  await store.putLetter({ letter, acknowledges: null, boxMax: Number.POSITIVE_INFINITY });
}
