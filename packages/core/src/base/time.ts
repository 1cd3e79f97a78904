/**
 * Instants and durations are different types. Both are plain numbers of milliseconds at run time; the brand costs
 * nothing. Nothing in core reads a clock: every instant arrives with an input.
 */
declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** A moment, in ms, on the clock that the shell injects (monotonic, aligned to the store's clock). */
export type Instant = Branded<number, 'Instant'>;
/** A length of time in ms; never negative. */
export type DurationMs = Branded<number, 'DurationMs'>;

export const instant = (ms: number): Instant => ms as Instant;
export const milliseconds = (n: number): DurationMs => n as DurationMs;
export const seconds = (n: number): DurationMs => (n * 1_000) as DurationMs;
export const minutes = (n: number): DurationMs => (n * 60_000) as DurationMs;
export const hours = (n: number): DurationMs => (n * 3_600_000) as DurationMs;

/** Later than any deadline. Used as "never", so that `Math.min` needs no special case. */
export const NEVER = Number.MAX_SAFE_INTEGER as Instant;

export const later = (start: Instant, wait: number): Instant => (start + wait) as Instant;
export const earliest = (a: Instant, b: Instant): Instant => (a < b ? a : b);
export const latest = (a: Instant, b: Instant): Instant => (a > b ? a : b);

/** Never negative, even if the clock stepped back. */
export function between(start: Instant, end: Instant): DurationMs {
  return Math.max(0, end - start) as DurationMs;
}

/** "42 s", "7 min", "3 h 20 min", "6 days 2 h": for evidence and nudges, which people read. */
export function inWords(duration: DurationMs): string {
  const totalSeconds = Math.round(duration / 1_000);
  if (totalSeconds < 1) return `${Math.round(duration)} ms`;
  if (totalSeconds < 120) return `${totalSeconds} s`;
  const totalMinutes = Math.round(totalSeconds / 60);
  if (totalMinutes < 120) return `${totalMinutes} min`;
  const wholeHours = Math.floor(totalMinutes / 60);
  if (wholeHours < 48) return withRest(wholeHours, 'h', totalMinutes % 60, 'min');
  const totalHours = Math.round(totalMinutes / 60);
  return withRest(Math.floor(totalHours / 24), 'days', totalHours % 24, 'h');
}

const withRest = (count: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${restUnit}`;
