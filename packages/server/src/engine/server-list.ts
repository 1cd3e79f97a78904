import { type Instant, RECORD_VERSION_MIN } from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Clock } from './clock.ts';
import { Listeners } from './listeners.ts';

const PREFIX = 'servers/';
/**
 * A server whose row has not changed over so many looks is gone. Looks are counted, not time: while the store is
 * away nobody can write, and nobody looks either.
 */
const LOOKS_MAX = 3;
/**
 * A newer record version is written once no older server has been seen over so many looks: one that was stopped, or
 * is being restarted, would meet records that it can't read.
 */
const LOOKS_BEFORE_NEWER = 60;

/** A server that ticks late so often within ten minutes does not do its part. */
const LATE_TICKS_MAX = 5;

/** Numbers by name, such as the open streams of each token. */
type Counts = Readonly<Record<string, number>>;

/** What each server tells the others at every tick. */
export type Announcement = {
  readonly id: string;
  /** The newest record version that it can read. */
  readonly recordVersion: number;
  readonly at: Instant;
  /** Soft facts that it heard before this are stored. */
  readonly flushedAt: Instant;
  readonly counts: Readonly<Record<string, Counts>>;
  /** Where it runs, for people. Older servers tell neither this nor the next. */
  readonly name?: string;
  /** How many of its ticks of the last ten minutes were late. */
  readonly lateTicks?: number;
};

export type LateServer = { readonly name: string; readonly lateTicks: number };

type ServerListContext = {
  readonly store: Pick<Store, 'putMeta' | 'swapMeta' | 'listMeta'>;
  readonly clock: Clock;
  readonly id: string;
  readonly recordVersion: number;
  readonly flushedAt: () => Instant;
  /** Default: its id. */
  readonly name?: () => string;
  readonly lateTicks: () => number;
  /** Called by one of the servers that noticed. */
  readonly died: (last: Announcement) => void;
};

type Row = { readonly value: string; readonly told: Announcement; readonly looks: number };

/** The servers that share the store. Each has a row, which it rewrites at every tick and deletes when it stops. */
export class ServerList {
  private readonly context: ServerListContext;
  private rows: ReadonlyMap<string, Row> = new Map();
  private readonly shared = new Map<string, () => Counts>();
  private readonly news = new Listeners<readonly Announcement[]>();
  private saved: string | null = null;
  private written = RECORD_VERSION_MIN;
  /** Looks at which all servers could read a newer version than the one that is written. */
  private looksAtNewer = LOOKS_BEFORE_NEWER;

  constructor(context: ServerListContext) {
    this.context = context;
  }

  get id(): string {
    return this.context.id;
  }

  /** Those that are alive, without this one. */
  get others(): readonly Announcement[] {
    return [...this.rows.values()].flatMap(({ told }) => (told.id === this.id ? [] : told));
  }

  isAlive(serverId: string): boolean {
    return serverId === this.id || this.rows.has(PREFIX + serverId);
  }

  /** Where a server runs; null if it is gone. */
  nameOf(serverId: string): string | null {
    const told = this.rows.get(PREFIX + serverId)?.told;
    return told ? (told.name ?? told.id) : null;
  }

  /** Those that have ticked late again and again, this one included. */
  get late(): readonly LateServer[] {
    return [...this.rows.values()].flatMap(({ told: { id, name = id, lateTicks = 0 } }) =>
      lateTicks < LATE_TICKS_MAX ? [] : { name, lateTicks },
    );
  }

  /** The newest record version that every server can read: all of them write it. */
  get recordVersion(): number {
    return this.written;
  }

  /** Soft facts that any server heard before this are stored. */
  get flushedAt(): Instant {
    return Math.min(this.context.flushedAt(), ...this.others.map((other) => other.flushedAt)) as Instant;
  }

  /** Announces these numbers under this name from now on. */
  share(name: string, read: () => Counts): void {
    this.shared.set(name, read);
  }

  /** What the others have announced under this name, added up. */
  sumOf(name: string, key: string): number {
    return this.others.reduce((sum, { counts }) => sum + (counts[name]?.[key] ?? 0), 0);
  }

  /** Called with each announcement of another server once. */
  onNews(listener: (news: readonly Announcement[]) => void): void {
    this.news.add(listener);
  }

  /** Deletes the row, so that the others do not wait for this server. */
  async leave(): Promise<void> {
    if (this.saved !== null) await this.context.store.swapMeta(PREFIX + this.id, this.saved, null);
  }

  /** Announces this server, and reads what the others have announced. */
  async look(): Promise<void> {
    const { store, died } = this.context;
    await this.announce();
    const before = this.rows;
    const found = await store.listMeta(PREFIX);
    const rows = found.map(({ key, value }) => [key, rowOf(value, before.get(key))] as const);
    this.rows = new Map(rows.filter(([key, { looks }]) => looks < LOOKS_MAX || key === PREFIX + this.id));
    this.news.tell(rows.flatMap(([, { told, looks }]) => (told.id === this.id || looks > 0 ? [] : told)));
    for (const [key, { value, told }] of rows)
      if (!this.rows.has(key) && (await store.swapMeta(key, value, null))) died(told);
    this.agreeOnVersion();
  }

  /** At the first look there is nothing to wait for. */
  private agreeOnVersion(): void {
    const versions = this.others.map((other) => other.recordVersion);
    const oldest = Math.max(RECORD_VERSION_MIN, Math.min(this.context.recordVersion, ...versions));
    this.looksAtNewer = oldest > this.written ? this.looksAtNewer + 1 : 0;
    if (oldest > this.written && this.looksAtNewer <= LOOKS_BEFORE_NEWER) return;
    this.written = oldest;
    this.looksAtNewer = 0;
  }

  private async announce(): Promise<void> {
    const { store, id, recordVersion, clock, flushedAt, name, lateTicks } = this.context;
    const counts = Object.fromEntries([...this.shared].map(([name, read]) => [name, read()]));
    const told: Announcement = {
      ...{ id, recordVersion, at: clock.now(), flushedAt: flushedAt(), counts },
      ...{ name: name?.() ?? id, lateTicks: lateTicks() },
    };
    this.saved = JSON.stringify(told);
    await store.putMeta(PREFIX + id, this.saved);
  }
}

/** `looks` counts the looks since it last changed. */
const rowOf = (value: string, before: Row | undefined): Row =>
  before?.value === value
    ? { ...before, looks: before.looks + 1 }
    : { value, told: JSON.parse(value) as Announcement, looks: 0 };
