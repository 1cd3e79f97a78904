import type { Stopwatch } from '@holter/sim';

/** The only file of this command that reads a real clock; measured values are marked as such. */
export const secondsNow = (): number => performance.now() / 1_000;

/** Only one of this many steps is measured, because reading the clock costs as much as a heartbeat. */
const SAMPLE_EVERY = 64;

type Sampler = Stopwatch & { readonly microsPerStep: () => number };

export function sampler(): Sampler {
  let count = 0;
  let samples = 0;
  let totalMs = 0;
  let startedAt = 0;
  return {
    start: () => {
      if (count++ % SAMPLE_EVERY === 0) startedAt = performance.now();
    },
    stop: () => {
      if ((count - 1) % SAMPLE_EVERY !== 0) return;
      totalMs += performance.now() - startedAt;
      samples++;
    },
    microsPerStep: () => (samples === 0 ? 0 : Math.round((totalMs / samples) * 100_000) / 100),
  };
}
