import type { Instant } from '@holter/core';

/**
 * The engine's only source of time and timers. The real one is in `../real-clock.ts`; the simulator
 * substitutes its own and otherwise runs the same engine code.
 */
export type Clock = {
  /** Monotonic, aligned once to wall-clock time; never goes back. */
  now(): Instant;
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
};
