import type { Instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Letters } from '../store/letters.ts';

type Marked = { readonly ids: ReadonlySet<string>; readonly at: Instant };
type Batch = { readonly letterIds: Set<string>; readonly marked: Promise<Marked> };

/** Most letters in one statement. */
const TOGETHER_MAX = 1_000;

/** Marks letters as delivered. What many agents list at once is marked together, and waits for the disk once. */
export class DeliveryMarks {
  private readonly store: Pick<Letters, 'markLetters'>;
  private readonly clock: Clock;
  private last: Promise<unknown> = Promise.resolve();
  private next: Batch | null = null;

  constructor(store: Pick<Letters, 'markLetters'>, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Which of them are delivered now, and were not before. Of two who ask at once, one is told. */
  async add(letterIds: readonly string[]): Promise<Marked> {
    this.next ??= this.open();
    const { letterIds: all, marked } = this.next;
    const own = letterIds.filter((letterId) => !all.has(letterId));
    for (const letterId of own) all.add(letterId);
    const { ids, at } = await marked;
    return { ids: new Set(own.filter((letterId) => ids.has(letterId))), at };
  }

  /** It takes letters until the one before is stored. */
  private open(): Batch {
    const letterIds = new Set<string>();
    const marked = this.last.then(() => {
      this.next = null;
      return this.mark([...letterIds]);
    });
    this.last = marked.catch(() => undefined);
    return { letterIds, marked };
  }

  private async mark(letterIds: readonly string[]): Promise<Marked> {
    const at = this.clock.now();
    const ids = new Set<string>();
    for (let from = 0; from < letterIds.length; from += TOGETHER_MAX) {
      const some = letterIds.slice(from, from + TOGETHER_MAX);
      for (const letterId of await this.store.markLetters({ to: null, letterIds: some, as: 'delivered', at }))
        ids.add(letterId);
    }
    return { ids, at };
  }
}
