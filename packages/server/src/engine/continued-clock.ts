import { type Instant, later } from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/** The answer that was quickest says best what time it is there. */
const SAMPLES = 3;

/**
 * A clock that never starts before the last tick in this store. Stored deadlines use that time: if the wall clock
 * was set back between two runs, they would all lie in the future, silent agents would go unnoticed, and stalls
 * would end before they began. A wall clock that was set forward is treated as an ordinary gap. Servers that share a
 * database go by its clock, because one judges by what another has heard.
 */
export async function continuedClock(store: Pick<Store, 'getMeta' | 'clock'>, clock: Clock): Promise<Clock> {
  const aheadMs = await storeAheadMs(store, clock);
  const lastTickAt = await lastTickOf(store);
  const behindMs = lastTickAt === null ? 0 : Math.max(0, lastTickAt - clock.now() - aheadMs);
  if (aheadMs + behindMs === 0) return clock;
  return {
    now: () => later(clock.now(), aheadMs + behindMs),
    after: (ms, callback) => clock.after(ms, callback),
  };
}

async function storeAheadMs(store: Pick<Store, 'clock'>, clock: Clock): Promise<number> {
  let best = { aheadMs: 0, tookMs: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample++) {
    const askedAt = clock.now();
    const there = await store.clock();
    if (there === null) return 0;
    const tookMs = clock.now() - askedAt;
    if (tookMs < best.tookMs) best = { aheadMs: Math.round(there - askedAt - tookMs / 2), tookMs };
  }
  return best.aheadMs;
}

async function lastTickOf(store: Pick<Store, 'getMeta'>): Promise<Instant | null> {
  const saved = await store.getMeta('ticks');
  return saved === null ? null : (JSON.parse(saved) as { readonly lastTickAt: Instant }).lastTickAt;
}
