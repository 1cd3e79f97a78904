import type { Sender } from '../intake/index.ts';
import { type NewLetter, type StoredLetter, unmarked } from '../store/letters.ts';
import { hearLetter, type MeaningContext, saysMore } from './letter-meaning.ts';
import { boxFull } from './letter-refused.ts';

type Unkept = {
  readonly letter: StoredLetter;
  readonly isNotified: false;
  readonly notes: readonly string[];
};

/**
 * The box has no place for the letter. If it is Holter's own, what the letter says about its sender counts all the
 * same: otherwise those who fill that box, and a person who never reads it, would make Holter deaf to everybody. A
 * letter that only has words is refused: nothing of it would be left.
 */
export async function hearUnkept(
  context: MeaningContext,
  { letter: sent, acknowledges }: { readonly letter: NewLetter; readonly acknowledges: string | null },
  sender: Sender | null,
): Promise<Unkept> {
  if (sender?.role !== 'agent' || !saysMore(sent, context.name())) throw boxFull(sent.to);
  const letter = unmarked(sent);
  const { from: to, sentAt: at } = letter;
  const notes = await hearLetter(context, letter, sender);
  if (acknowledges !== null)
    await context.store.markLetters({ to, letterIds: [acknowledges], as: 'acknowledged', at });
  const note = `the box of ${letter.to} is full: what this letter says about you counts, but it is not kept`;
  return { letter, isNotified: false, notes: [...notes, note] };
}
