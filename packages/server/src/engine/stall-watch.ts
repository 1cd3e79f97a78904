import {
  graceShare,
  type Instant,
  instant,
  isStall,
  later,
  NO_STALLS,
  type StallLog,
  withStall,
} from '@holter/core';
import { metaJson, readMetaJson } from '../store/meta-json.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import type { Clock } from './clock.ts';
import type { Announcement } from './server-list.ts';

/**
 * How often the last tick is written to the shared row. After a restart, at most this much silence is excused
 * in excess; with a longer interval, a server that keeps crashing would excuse all silence.
 */
const PERSIST_EVERY_MS = 1_000;
/** Long enough to be seen by a monitor that asks every few seconds. */
const REFUSED_SHOWN_MS = 5_000;
const GRACE_OVER_MS = 3_600_000;
/** Before and after the last announcement of a server that died: what it heard then may not have been stored. */
const UNFLUSHED_MS = 1_000;

const VERSION = 1;
type Row = { readonly log: StallLog; readonly lastTickAt: Instant };

const readRow = (text: string): Row => readMetaJson<Row>(text, VERSION, 'the log of ticks');
type Outage = { readonly since: Instant; readonly reason: string };

/**
 * Records when Holter could not observe agents. A late tick is the one portable sign of a suspended machine,
 * a blocked event loop or a restart after a crash. A store outage counts as well. Servers that share a store share
 * the log: a time in which any of them ticked, and could write, is no stall.
 */
export class StallWatch {
  private readonly store: Pick<Store, 'getMeta' | 'swapMeta'>;
  private readonly clock: Clock;
  private readonly isShared: boolean;
  private startedAt = 0;
  private log: StallLog = NO_STALLS;
  private lastTickAt: Instant | null = null;
  private persistedAt = 0;
  private isStart = false;
  private away: Outage | null = null;
  /** Between two ticks of this server. Whether another one ticked meanwhile is known with the next write. */
  private gap: { readonly from: Instant; readonly to: Instant } | null = null;
  private refused: Outage | null = null;
  /** The shared row as this server last read it. */
  private saved: string | null = null;
  /** Whether a tick of this server is stored. */
  isOnRecord = false;

  constructor(store: Pick<Store, 'getMeta' | 'swapMeta'>, clock: Clock, isShared = false) {
    this.store = store;
    this.clock = clock;
    this.isShared = isShared;
  }

  /** All stalls. One still in progress, or an outage, extends to now, because no agent can be heard during it. */
  get stalls(): StallLog {
    const now = this.clock.now();
    const { lastTickAt, pastStalls } = this;
    return lastTickAt !== null && isStall(now - lastTickAt)
      ? withStall(pastStalls, lastTickAt, now)
      : pastStalls;
  }

  /** Without a tick that is late now. */
  private get pastStalls(): StallLog {
    const { gap, away } = this;
    const log = gap ? withStall(this.log, gap.from, gap.to) : this.log;
    return away ? withStall(log, away.since, this.clock.now()) : log;
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
    const { log, lastTickAt } = readRow(this.saved);
    this.log = log;
    this.lastTickAt = lastTickAt;
    // The last second of beats may be lost. Of servers that share a store, the others notice that.
    this.isStart = !this.isShared;
  }

  /** Returns how late this tick came beyond the stall threshold; 0 for an ordinary one. */
  tick(at: Instant): number {
    const gap = this.lastTickAt === null ? 0 : at - this.lastTickAt;
    if (this.lastTickAt !== null && (this.isStart || isStall(gap)))
      this.noteGap(instant(Math.min(this.lastTickAt, at - 1)), at);
    this.isStart = false;
    this.lastTickAt = at;
    return isStall(gap) ? gap : 0;
  }

  private noteGap(from: Instant, to: Instant): void {
    if (this.isShared) this.gap = { from: this.gap?.from ?? from, to };
    else this.log = withStall(this.log, from, to);
  }

  /** Another server has died: what it heard last may be lost, and its agents have to find another one. */
  noteDeath({ at }: Pick<Announcement, 'at'>): void {
    this.log = withStall(this.log, later(at, -UNFLUSHED_MS), later(at, UNFLUSHED_MS));
  }

  beginOutage(reason: string): void {
    this.away ??= { since: this.clock.now(), reason };
  }

  /** What this server hears now would not count when another one judges: the agent must find that one. */
  refuseDuringOutage(): void {
    if (this.away) throw new StoreUnavailable('unknown', this.away.reason);
  }

  endOutage(): void {
    this.log = this.pastStalls;
    this.away = null;
  }

  /** Before agents are judged: was a late tick, or an outage of the store, that of all servers? */
  async settle(at: Instant): Promise<void> {
    if (this.isShared && (this.gap || this.away)) await this.persist(at, true);
  }

  async persist(at: Instant, isForced = false): Promise<void> {
    if (!isForced && at - this.persistedAt < PERSIST_EVERY_MS) return;
    this.persistedAt = at;
    for (let isWritten = false; !isWritten; ) {
      const log = this.isShared ? this.pastStalls : this.log;
      const text = metaJson(VERSION, { log, lastTickAt: at } satisfies Row);
      isWritten = await this.store.swapMeta('ticks', this.saved, text);
      if (!isWritten) this.learn(await this.store.getMeta('ticks'));
      else {
        this.saved = text;
        this.isOnRecord = true;
        this.log = log;
        this.gap = null;
        if (this.isShared) this.away = null;
      }
    }
  }

  /** Another server wrote first: it has ticked, and its stalls count here too. */
  private learn(text: string | null): void {
    this.saved = text;
    if (text === null) return;
    const { log, lastTickAt } = readRow(text);
    for (const { from, to } of log) {
      const known = this.log.at(-1)?.to ?? 0;
      this.log = withStall(this.log, instant(Math.max(from, known)), to);
    }
    const { gap, away } = this;
    const from = instant(Math.max(gap?.from ?? 0, lastTickAt));
    this.gap = gap && isStall(gap.to - from) ? { ...gap, from } : null;
    // It ends with the write that follows, and is a stall only if no server could write for so long.
    const since = instant(Math.max(away?.since ?? 0, lastTickAt));
    if (away) this.away = isStall(this.clock.now() - since) ? { ...away, since } : null;
  }
}
