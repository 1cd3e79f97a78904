import { type Instant, later } from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/**
 * A clock that never starts before the last tick in this store. Stored deadlines use that time: if the wall clock
 * was set back between two runs, they would all lie in the future, silent agents would go unnoticed, and stalls
 * would end before they began. A wall clock that was set forward is treated as an ordinary gap.
 */
export async function continuedClock(store: Pick<Store, 'getMeta'>, clock: Clock): Promise<Clock> {
  const lastTickAt = await lastTickOf(store);
  const behindMs = lastTickAt === null ? 0 : Math.max(0, lastTickAt - clock.now());
  if (behindMs === 0) return clock;
  return {
    now: () => later(clock.now(), behindMs),
    after: (ms, callback) => clock.after(ms, callback),
  };
}

async function lastTickOf(store: Pick<Store, 'getMeta'>): Promise<Instant | null> {
  const saved = await store.getMeta('ticks');
  return saved === null ? null : (JSON.parse(saved) as { readonly lastTickAt: Instant }).lastTickAt;
}
