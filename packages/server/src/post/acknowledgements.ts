import type { Instant } from '@holter/core';
import { HOLTER, type Sender } from '../intake/index.ts';
import type { Letters, StoredLetter } from '../store/letters.ts';
import { isDirective } from './directive-letter.ts';
import { LetterRefused } from './letter-refused.ts';
import { isPingId } from './ping-letter.ts';
import { type SignalContext, takeSignal } from './take-signal.ts';

type AckContext = SignalContext & {
  readonly store: Pick<Letters, 'readLetter'>;
  /** Holter's own name in the post. */
  readonly name: () => string;
};

/** Letters of Holter only: otherwise an agent could harm another by writing to it. */
const isOwn = ({ from, to, isVerified }: StoredLetter, own: string): boolean =>
  from === own && isVerified && to !== own;

/** The letter is in its recipient's box. What Holter puts there for an incident, or as a ping, is awaited elsewhere. */
export async function awaitAcknowledgement(context: AckContext, letter: StoredLetter): Promise<void> {
  const { letterId, to, priority } = letter;
  if (!isOwn(letter, context.name()) || isDirective(letter) || isPingId(letterId)) return;
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
  // Somebody else who does it for the agent is no sign of its life.
  await acknowledged(context, letter, sender.role === 'agent' ? sender : HOLTER);
}

/**
 * The record of the agent is told first: if the server dies in between, the letter is still unread, and its reader
 * acknowledges it again. It is told again if the letter is awaited only since then.
 */
export async function acknowledge(
  context: AckContext,
  letter: StoredLetter,
  sender: Sender | null,
  store: () => Promise<unknown>,
): Promise<void> {
  if (sender) await signalAcknowledged(context, letter, sender);
  await store();
  const acks = (await context.engine.read(letter.to))?.hard.acks ?? [];
  if (sender && acks.some(({ id }) => id === letter.letterId))
    await signalAcknowledged(context, letter, sender);
}

const acknowledged = (context: AckContext, { letterId, to }: StoredLetter, sender: Sender): Promise<void> =>
  takeSignal(context, { kind: 'message-acknowledged', messageId: letterId }, sender, to);

/** The letter had to make room in its box. Returns what the sender of the next one should know about it. */
export async function stopAwaiting(context: AckContext, letter: StoredLetter): Promise<readonly string[]> {
  const { letterId, to, priority } = letter;
  const acks = (await context.engine.read(to))?.hard.acks ?? [];
  if (!acks.some(({ id }) => id === letterId)) return [];
  await acknowledged(context, letter, HOLTER);
  return [
    `the box of ${to} is full: letter ${letterId} of priority ${priority} was read, made room, and is awaited no longer`,
  ];
}

/**
 * A letter that is gone can't be acknowledged any more: it was kept as long as letters are, or a server died when it
 * made room. Of the late ones of this agent one is looked up at a time.
 */
export async function forgetGone(context: AckContext, to: string, now: Instant): Promise<void> {
  const late = ((await context.engine.read(to))?.hard.acks ?? []).filter(({ isOverdue }) => isOverdue);
  const letterId = late[Math.floor(now / LOOK_MS) % late.length]?.id;
  if (letterId === undefined) return;
  const letter = await context.store.readLetter(letterId);
  if (letter !== null && letter.acknowledgedAt === null) return;
  await takeSignal(context, { kind: 'message-acknowledged', messageId: letterId }, HOLTER, to);
}

/** Another one is looked up each time. */
const LOOK_MS = 1_000;
