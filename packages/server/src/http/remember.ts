const REMEMBERED_MAX = 50_000;

/** The same answer without the same work: a busy agent's token would be hashed for every beat. */
export function remembering(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const result = compute(text);
    // Strangers may send what they like: then everything is forgotten once, and nothing grows.
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(text, result);
    return result;
  };
}
