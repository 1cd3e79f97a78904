/**
 * The one place that says why something is never exercised here. An explanation names what covers it instead;
 * whatever is zero and not explained is a hole in the simulator, and the soak says so with its exit code.
 */
type Explanation = { readonly section: string; readonly items: RegExp; readonly because: string };

export const EXPLAINED: readonly Explanation[] = [];

export const whyNever = (section: string, item: string): string | null =>
  EXPLAINED.find((known) => known.section === section && known.items.test(item))?.because ?? null;
