import { randomBytes, randomUUID } from 'node:crypto';
import type { Instant } from '@holter/core';
import type { Clock } from './engine/clock.ts';

/**
 * The one place of the server that reads a clock or rolls dice. Monotonic time plus an offset taken once at the start:
 * the wall clock may step, Holter's time doesn't.
 */
export function realClock(): Clock {
  const offset = Date.now() - performance.now();
  return {
    now: () => Math.floor(offset + performance.now()) as Instant,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** The clock on the wall, which may step: only for comparing it with other clocks. */
export const wallNow = (): number => Date.now();

/** Ids are for telling things apart; a secret has 256 bits, because whoever guesses it is believed. */
export const realDice = {
  newId: (): string => randomUUID(),
  newSecret: (): string => `hlt_${randomBytes(32).toString('base64url')}`,
};
