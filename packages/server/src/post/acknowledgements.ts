import { ACKS_MAX } from '@holter/core';
import { HOLTER, type Sender } from '../intake/index.ts';
import type { Letters, StoredLetter } from '../store/letters.ts';
import { isDirective } from './directive-letter.ts';
import { LetterRefused } from './letter-refused.ts';
import { isPing } from './ping-letter.ts';
import { type SignalContext, takeSignal } from './take-signal.ts';

type AckContext = SignalContext & {
  readonly store: Pick<Letters, 'readLetter' | 'listLetters'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

/** Letters of Holter only: otherwise an agent could harm another by writing to it. */
const isOwn = ({ from, to, isVerified }: StoredLetter, own: string): boolean =>
  from === own && isVerified && to !== own;

/** The letter is in its recipient's box. What Holter puts there for an incident, or as a ping, is awaited elsewhere. */
export async function awaitAcknowledgement(context: AckContext, letter: StoredLetter): Promise<void> {
  const { letterId, to, priority } = letter;
  if (!isOwn(letter, context.name()) || isDirective(letter) || isPing(letter)) return;
  try {
    await takeSignal(context, { kind: 'message-delivered', messageId: letterId, priority }, HOLTER, to);
    // It may have been acknowledged or deleted before anything waited for that.
    const now = await context.store.readLetter(letterId);
    if (now === null || now.acknowledgedAt !== null) await acknowledged(context, letter, HOLTER);
  } catch (error) {
    // The letter is stored all the same.
    if (!(error instanceof LetterRefused)) throw error;
  }
}

export async function signalAcknowledged(
  context: AckContext,
  letter: StoredLetter,
  sender: Sender,
): Promise<void> {
  if (!isOwn(letter, context.name())) return;
  const watched = (await context.engine.read(letter.to))?.hard.acks ?? [];
  // Somebody else who does it for the agent is no sign of its life.
  await acknowledged(context, letter, sender.role === 'agent' ? sender : HOLTER);
  if (watched.length >= ACKS_MAX) await awaitNext(context, letter.to, new Set(watched.map(({ id }) => id)));
}

const acknowledged = (context: AckContext, { letterId, to }: StoredLetter, sender: Sender): Promise<void> =>
  takeSignal(context, { kind: 'message-acknowledged', messageId: letterId }, sender, to);

const URGENCY = ['urgent', 'high', 'normal', 'low'] as const;

/** A record watches a limited number of letters; the most urgent of the others takes the place that is free now. */
async function awaitNext(
  context: AckContext,
  to: string,
  watched: ReadonlySet<string | undefined>,
): Promise<void> {
  const { store, name } = context;
  for (const priority of URGENCY) {
    const sent = await store.listLetters({
      of: name(),
      box: 'sent',
      other: to,
      status: 'unacknowledged',
      priority,
      limit: WAITING_MAX,
    });
    const waiting = sent.filter((each) => !watched.has(each.letterId) && !isDirective(each) && !isPing(each));
    const oldest = waiting.at(-1);
    if (oldest) return awaitAcknowledgement(context, oldest);
  }
}

/** As many as a box holds. */
const WAITING_MAX = 1_000;
