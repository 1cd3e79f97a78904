/** How often each thing happened, by `section: item`. Plain JSON, so that worker threads can hand it over. */
export type Counts = Readonly<Record<string, number>>;

/** Sections and items are words for people; the key joins them. */
export const keyOf = (section: string, item: string): string => `${section}: ${item}`;

/** Counts up. Keys are joined at the end, because it is asked at every input of a run. */
export class Counter {
  private readonly sections = new Map<string, Map<string, number>>();

  add(section: string, item: string, times = 1): void {
    const counts = this.sections.get(section) ?? new Map<string, number>();
    if (counts.size === 0) this.sections.set(section, counts);
    counts.set(item, (counts.get(item) ?? 0) + times);
  }

  toJSON(): Counts {
    const all = [...this.sections].flatMap(([section, counts]) =>
      [...counts].map(([item, count]) => [keyOf(section, item), count] as const),
    );
    return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}

export function mergeCounts(left: Counts, right: Counts): Counts {
  const merged: Record<string, number> = { ...left };
  for (const [key, count] of Object.entries(right)) merged[key] = (merged[key] ?? 0) + count;
  return merged;
}
