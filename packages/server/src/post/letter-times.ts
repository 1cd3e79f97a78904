import type { Instant } from '@holter/core';
import { LetterRefused } from './letter-refused.ts';

/** Clocks of other machines differ; more than this is a mistake. */
const AHEAD_MS_MAX = 5 * 60_000;
const PAST_TIMES = ['timestamp', 'original_timestamp', 'response_timestamp'] as const;

/** As seed 001 writes a time: in whole seconds. */
export const letterTime = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

type Content = Readonly<Record<string, unknown>>;

/** Times of seed 001's messages that tell what has happened; a time to come is not among them. */
export function checkTimes(content: Content, now: Instant): void {
  checkTimesIn('content', content, now);
  const { context } = content;
  if (typeof context === 'object' && context !== null)
    checkTimesIn('content.context', context as Content, now);
}

function checkTimesIn(place: string, times: Content, now: Instant): void {
  for (const name of PAST_TIMES) {
    const field = `${place}.${name}`;
    if (timeOf(times[name]) > now + AHEAD_MS_MAX)
      throw new LetterRefused('future_time', `${field} is more than 5 min in the future`, { field });
  }
}

/** Numbers below this are seconds since 1970, as `date +%s` prints them, and others milliseconds. */
const MILLISECONDS_MIN = 1e11;

function timeOf(value: unknown): number {
  if (typeof value === 'number') return value < MILLISECONDS_MIN ? value * 1_000 : value;
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
