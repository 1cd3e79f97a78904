/** "Did you mean …?": the candidate with the fewest slips, if it is near enough to be meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  // A third of the letters wrong is a typo; more is another word.
  let best: { readonly candidate: string; readonly slips: number } | undefined;
  const slipsMax = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    const slips = editDistance(word, candidate);
    if (slips <= slipsMax && (best === undefined || slips < best.slips)) best = { candidate, slips };
  }
  return best?.candidate;
}

/** Levenshtein's distance: letters inserted, removed or replaced. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
