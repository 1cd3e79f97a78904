import type { Clock } from '../engine/clock.ts';
import type { Letters, StoredLetter } from '../store/letters.ts';

/** Most letters in one transaction: readers of other boxes wait for the one under way, and each letter is a page. */
const TOGETHER_MAX = 50;
/** With more than these waiting, a list waits for them as well. */
const WAITING_MAX = 10_000;

type MarkContext = {
  readonly store: Pick<Letters, 'markLetters'>;
  readonly clock: Clock;
  /** Called once for each letter that was not delivered before. */
  readonly delivered: (letter: StoredLetter) => Promise<void>;
};

/**
 * Marks letters as delivered. A list does not wait for the disk: if the server dies before, the letters are marked
 * when they are listed again, or read. What many agents list at once is marked together.
 */
export class DeliveryMarks {
  private readonly context: MarkContext;
  private readonly waiting = new Map<string, StoredLetter>();
  private writing: Promise<void> | null = null;

  constructor(context: MarkContext) {
    this.context = context;
  }

  /** The letters as they are when they are marked. */
  async add(letters: readonly StoredLetter[]): Promise<readonly StoredLetter[]> {
    const deliveredAt = this.context.clock.now();
    const shown = letters.map((letter) => {
      if (letter.deliveredAt !== null) return letter;
      if (!this.waiting.has(letter.letterId)) this.waiting.set(letter.letterId, letter);
      return { ...letter, deliveredAt };
    });
    if (this.waiting.size > 0) this.writing ??= this.write();
    if (this.waiting.size > WAITING_MAX) await this.writing;
    return shown;
  }

  private async write(): Promise<void> {
    const { store, clock, delivered } = this.context;
    while (this.waiting.size > 0) {
      const letterIds = [...this.waiting.keys()].slice(0, TOGETHER_MAX);
      try {
        const marking = { to: null, letterIds, as: 'delivered', at: clock.now() } as const;
        for (const letterId of await store.markLetters(marking)) {
          const letter = this.waiting.get(letterId);
          if (letter) await delivered(letter);
        }
      } catch {
        // They are marked when they are listed again.
      }
      for (const letterId of letterIds) this.waiting.delete(letterId);
    }
    this.writing = null;
  }
}
