import { type Counts, keyOf } from './counts.ts';
import { whyNever } from './explained.ts';
import { POSSIBLE } from './possible.ts';

export type Hole = {
  readonly section: string;
  readonly item: string;
  /** Why the simulator rightly never does this, and what covers it instead; null is a hole. */
  readonly because: string | null;
};

/** What could have happened and never did. */
export function neverHappened(counts: Counts): readonly Hole[] {
  return Object.entries(POSSIBLE).flatMap(([section, items]) =>
    items
      .filter((item) => !counts[keyOf(section, item)])
      .map((item) => ({ section, item, because: whyNever(section, item) })),
  );
}

/** What happened and is in no list: then the list is out of date, and its zeros prove nothing. */
export function unlisted(counts: Counts): readonly string[] {
  const listed = new Set(
    Object.entries(POSSIBLE).flatMap(([section, items]) => items.map((item) => keyOf(section, item))),
  );
  return Object.keys(counts).filter((key) => !listed.has(key));
}
