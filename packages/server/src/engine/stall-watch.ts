import { type Instant, instant, isStall, NO_STALLS, type StallLog, withStall } from '@holter/core';
import type { Store } from '../store/store.ts';

/**
 * How often the shared row learns of the last tick: a restart then forgives at most this much too much. A
 * longer interval would forgive a server that crashes all the time everything that it ever saw.
 */
const PERSIST_EVERY_MS = 1_000;

/**
 * Knows when nobody was looking. Its own tick that came late is the one portable sign of sleep, of a
 * blocked loop and of a start after a crash; an outage of the store is a time in which nobody could look.
 */
export class StallWatch {
  private readonly store: Pick<Store, 'getMeta' | 'putMeta'>;
  private log: StallLog = NO_STALLS;
  private lastTickAt: Instant | null = null;
  private persistedAt = 0;
  private isStart = false;

  constructor(store: Pick<Store, 'getMeta' | 'putMeta'>) {
    this.store = store;
  }

  get stalls(): StallLog {
    return this.log;
  }

  /** Before the first tick: the gap since the last tick of whoever ran before is a stall like any other. */
  async load(at: Instant): Promise<void> {
    const saved = await this.store.getMeta('ticks');
    if (saved === null) {
      this.lastTickAt = at;
      return;
    }
    const { log, lastTickAt } = JSON.parse(saved) as { log: StallLog; lastTickAt: Instant };
    this.log = log;
    this.lastTickAt = lastTickAt;
    this.isStart = true;
  }

  /** Returns how late this tick came beyond the stall threshold; 0 for an ordinary one. */
  tick(at: Instant): number {
    const gap = this.lastTickAt === null ? 0 : at - this.lastTickAt;
    // A start is a stall however quick it was: the newest second of beats may be lost with the server before.
    if (this.lastTickAt !== null && (this.isStart || isStall(gap)))
      this.log = withStall(this.log, instant(Math.min(this.lastTickAt, at - 1)), at);
    this.isStart = false;
    this.lastTickAt = at;
    return isStall(gap) ? gap : 0;
  }

  /** The log as it is while an outage lasts: what can't be heard in it is nobody's silence. */
  withOutage(from: Instant, to: Instant): StallLog {
    return withStall(this.log, from, to);
  }

  endOutage(from: Instant, to: Instant): void {
    this.log = this.withOutage(from, to);
  }

  async persist(at: Instant, isForced = false): Promise<void> {
    if (!isForced && at - this.persistedAt < PERSIST_EVERY_MS) return;
    this.persistedAt = at;
    await this.store.putMeta('ticks', JSON.stringify({ log: this.log, lastTickAt: at }));
  }
}
