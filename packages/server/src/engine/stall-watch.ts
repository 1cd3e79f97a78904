import {
  graceShare,
  type Instant,
  instant,
  isStall,
  NO_STALLS,
  type StallLog,
  withStall,
} from '@holter/core';
import type { Store, StoreUnavailable } from '../store/store.ts';
import type { Clock } from './clock.ts';

/**
 * How often the last tick is written to the shared row. After a restart, at most this much silence is excused
 * in excess; with a longer interval, a server that keeps crashing would excuse all silence.
 */
const PERSIST_EVERY_MS = 1_000;
/** Long enough to be seen by a monitor that asks every few seconds. */
const REFUSED_SHOWN_MS = 5_000;
const GRACE_OVER_MS = 3_600_000;

type Row = { readonly log: StallLog; readonly lastTickAt: Instant };
type Outage = { readonly since: Instant; readonly reason: string };

/**
 * Records when Holter could not observe agents. A late tick is the one portable sign of a suspended machine,
 * a blocked event loop or a restart after a crash. A store outage counts as well.
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
  private refused: Outage | null = null;
  /** The shared row as this server last read it. */
  private saved: string | null = null;

  constructor(store: Pick<Store, 'getMeta' | 'swapMeta'>, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** All stalls. One still in progress, or an outage, extends to now, because no agent can be heard during it. */
  get stalls(): StallLog {
    const now = this.clock.now();
    const { lastTickAt, away } = this;
    const log =
      lastTickAt !== null && isStall(now - lastTickAt) ? withStall(this.log, lastTickAt, now) : this.log;
    return away ? withStall(log, away.since, now) : log;
  }

  get count(): number {
    return this.log.reduce((sum, { count }) => sum + count, 0);
  }

  /** Stalled share of the last hour. Time before the start is left out: else every night off would alert. */
  get graceShare(): number {
    const now = this.clock.now();
    const from = instant(Math.max(this.startedAt, now - GRACE_OVER_MS));
    return (graceShare(this.stalls, from, now) * (now - from)) / GRACE_OVER_MS;
  }

  get outage(): Outage | null {
    return this.away;
  }

  /** The outage, or what the store has refused a moment ago even if it takes other things. */
  get trouble(): Outage | null {
    const { away, refused } = this;
    const isRecent = refused !== null && this.clock.now() - refused.since < REFUSED_SHOWN_MS;
    return away ?? (isRecent ? refused : null);
  }

  noteRefused({ code, message }: Pick<StoreUnavailable, 'code' | 'message'>): void {
    this.refused = { since: this.clock.now(), reason: `${code}: ${message}` };
  }

  /** Called before the first tick. The gap since the previous server's last tick is an ordinary stall. */
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
    // Every start counts as a stall: the previous server's last second of beats may be lost.
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

  /** Another server wrote first. Its stalls count here too: signals sent to it may have been lost. */
  private learn(text: string | null): void {
    this.saved = text;
    if (text === null) return;
    for (const { from, to } of (JSON.parse(text) as Row).log) {
      const known = this.log.at(-1)?.to ?? 0;
      this.log = withStall(this.log, instant(Math.max(from, known)), to);
    }
  }
}
