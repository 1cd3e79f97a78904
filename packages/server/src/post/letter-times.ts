import type { Instant } from '@holter/core';
import { LetterRefused } from './letter-refused.ts';

/** Clocks of other machines differ; more than this is a mistake. */
const AHEAD_MS_MAX = 5 * 60_000;
const PAST_TIMES = ['timestamp', 'original_timestamp', 'response_timestamp'] as const;

/** As seed 001 writes a time: in whole seconds. */
export const letterTime = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Times of seed 001's messages that tell what has happened; a time to come is not among them. */
export function checkTimes(content: Readonly<Record<string, unknown>>, now: Instant): void {
  for (const field of PAST_TIMES) {
    const value = content[field];
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (at > now + AHEAD_MS_MAX)
      throw new LetterRefused('future_time', `content.${field} is more than 5 min in the future`, {
        field: `content.${field}`,
      });
  }
}
