import { between, type Instant, instant, inWords } from '@holter/core';

/** "7 min ago", or "never". */
export function ago(at: number | null | undefined, now: Instant): string {
  if (at === null || at === undefined || at <= 0) return 'never';
  return `${inWords(between(instant(at), now))} ago`;
}

/** "in 4 min", or "now" when its time has come. */
export function until(at: number | null | undefined, now: Instant): string {
  if (at === null || at === undefined) return '';
  return at <= now ? 'now' : `in ${inWords(between(now, instant(at)))}`;
}

/** The time of day in UTC. */
export const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);

export const moment = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 19);
