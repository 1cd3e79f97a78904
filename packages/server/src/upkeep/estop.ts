import type { Instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Estop } from '../engine/engine-options.ts';

const LOOK_EVERY_MS = 1_000;

/** Whether a person has stopped Holter's own acts (`holter estop`); the file is looked at once a second. */
export function watchEstop(read: () => Estop | null, clock: Clock): () => Estop | null {
  let current: Estop | null = null;
  let nextAt = 0 as Instant;
  return () => {
    const now = clock.now();
    if (now >= nextAt) {
      current = read();
      nextAt = (now + LOOK_EVERY_MS) as Instant;
    }
    return current;
  };
}
