import type { Instant } from '@holter/core';

/**
 * The engine's only way to know the time and to wait. The real one lives in `../real-clock.ts`; the
 * simulator brings its own, so that what is proven there is what runs.
 */
export type Clock = {
  /** Monotonic, aligned once to wall-clock time; never goes back. */
  now(): Instant;
  /** Calls back once after `ms`; the returned function calls it off. */
  after(ms: number, callback: () => void): () => void;
};
