import { type Instant, later } from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/**
 * A clock that goes on where the last server on this store stopped. Every stored deadline counts in that time: if
 * the wall clock was set back in between, they would all lie in a future in which nobody is noticed missing, and
 * stalls would end before they began. A wall clock that was set forward is a gap like any other.
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
