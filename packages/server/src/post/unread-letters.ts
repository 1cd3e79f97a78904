import type { Letters, StoredLetter } from '../store/letters.ts';
import { isForSuccessor } from './self-handoff.ts';

/** Letters that are looked at in one go. */
const PAGE = 50;

export type Unread = {
  /** The oldest ones of verified senders, up to some more than are shown at once. */
  readonly letters: readonly StoredLetter[];
  /** How many there are of other senders. */
  readonly unverified: number;
};

/** For an agent that is shown its letters by the server itself. What it has left to its successor is passed over. */
export async function unreadFor(
  store: Pick<Letters, 'listLetters' | 'countLetters'>,
  of: string,
  incarnation: number,
): Promise<Unread> {
  const inbox = { of, box: 'inbox' } as const;
  const { unread: unverified } = await store.countLetters({ ...inbox, isVerified: false });
  let after: string | null = null;
  for (;;) {
    const query = { ...inbox, isVerified: true, status: 'unread', after, limit: PAGE } as const;
    const page: readonly StoredLetter[] = await store.listLetters(query);
    const letters = page.filter((letter) => !isForSuccessor(letter, incarnation));
    after = page.at(-1)?.letterId ?? null;
    if (letters.length > 0 || page.length < PAGE) return { letters, unverified };
  }
}
