import {
  graceShare,
  type Instant,
  instant,
  isStall,
  NO_STALLS,
  type StallLog,
  withStall,
} from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/**
 * How often the shared row learns of the last tick: a restart then forgives at most this much too much. A
 * longer interval would forgive a server that crashes all the time everything that it ever saw.
 */
const PERSIST_EVERY_MS = 1_000;
const GRACE_OVER_MS = 3_600_000;

type Row = { readonly log: StallLog; readonly lastTickAt: Instant };
type Outage = { readonly since: Instant; readonly reason: string };

/**
 * Knows when nobody was looking. Its own tick that came late is the one portable sign of sleep, of a
 * blocked loop and of a start after a crash; an outage of the store is a time in which nobody could look.
 */
export class StallWatch {
  private readonly store: Pick<Store, 'getMeta' | 'swapMeta'>;
  private readonly clock: Clock;
  private startedAt = 0;
  private log: StallLog = NO_STALLS;
  private lastTickAt: Instant | null = null;
  private persistedAt = 0;
  private isStart = false;
  private away: Outage | null = null;
  /** The shared row as this server last saw it. */
  private saved: string | null = null;

  constructor(store: Pick<Store, 'getMeta' | 'swapMeta'>, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** When nobody looked; an outage that still lasts reaches up to now, since nobody can be heard in it. */
  get stalls(): StallLog {
    return this.away ? withStall(this.log, this.away.since, this.clock.now()) : this.log;
  }

  get count(): number {
    return this.log.reduce((sum, { count }) => sum + count, 0);
  }

  /** Of the last hour, as far as this server has run: the time before would be an alert after every night. */
  get graceShare(): number {
    const now = this.clock.now();
    const from = instant(Math.max(this.startedAt, now - GRACE_OVER_MS));
    return (graceShare(this.stalls, from, now) * (now - from)) / GRACE_OVER_MS;
  }

  get outage(): Outage | null {
    return this.away;
  }

  /** Before the first tick: the gap since the last tick of whoever ran before is a stall like any other. */
  async load(): Promise<void> {
    const at = this.clock.now();
    this.startedAt = at;
    this.saved = await this.store.getMeta('ticks');
    if (this.saved === null) {
      this.lastTickAt = at;
      return;
    }
    const { log, lastTickAt } = JSON.parse(this.saved) as Row;
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

  beginOutage(reason: string): void {
    this.away ??= { since: this.clock.now(), reason };
  }

  endOutage(): void {
    this.log = this.stalls;
    this.away = null;
  }

  async persist(at: Instant, isForced = false): Promise<void> {
    if (!isForced && at - this.persistedAt < PERSIST_EVERY_MS) return;
    this.persistedAt = at;
    for (let isWritten = false; !isWritten; ) {
      const text = JSON.stringify({ log: this.log, lastTickAt: at } satisfies Row);
      isWritten = await this.store.swapMeta('ticks', this.saved, text);
      if (isWritten) this.saved = text;
      else this.learn(await this.store.getMeta('ticks'));
    }
  }

  /** Another server was faster. When it did not look, this one may have missed what was meant for it. */
  private learn(text: string | null): void {
    this.saved = text;
    if (text === null) return;
    for (const { from, to } of (JSON.parse(text) as Row).log) {
      const known = this.log.at(-1)?.to ?? 0;
      this.log = withStall(this.log, instant(Math.max(from, known)), to);
    }
  }
}
