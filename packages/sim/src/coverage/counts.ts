/** How often each thing happened, by `section: item`. Plain JSON, so that worker threads can hand it over. */
export type Counts = Readonly<Record<string, number>>;

/** Sections and items are words for people; the key joins them. */
export const keyOf = (section: string, item: string): string => `${section}: ${item}`;

/** Counts up; a map, because it is asked at every input of a run. */
export class Counter {
  private readonly counts = new Map<string, number>();

  add(section: string, item: string, times = 1): void {
    const key = keyOf(section, item);
    this.counts.set(key, (this.counts.get(key) ?? 0) + times);
  }

  toJSON(): Counts {
    return Object.fromEntries([...this.counts].sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}

export function mergeCounts(left: Counts, right: Counts): Counts {
  const merged: Record<string, number> = { ...left };
  for (const [key, count] of Object.entries(right)) merged[key] = (merged[key] ?? 0) + count;
  return merged;
}
