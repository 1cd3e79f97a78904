import type { HolterEvent, Instant } from '@holter/core';
import { instant, later } from '@holter/core';
import { STRIP_MS, type StripPage } from '../../store/store.ts';
import type { HttpDeps } from '../deps.ts';
import type { FleetEntry } from './fleet-entry.ts';
import { BIN_MS, type BinCounts, binStart } from './pulse.ts';

type Entries = ReadonlyMap<string, FleetEntry>;
type Body = Readonly<Record<string, BinCounts>>;
type StateChange = Extract<HolterEvent, { type: 'HEALTH_STATE_CHANGED' }>;

const EVENTS_PAGE = 2_000;
/** Two pages, unless several servers wrote. */
const READ_MS = 2 * BIN_MS;
/** Beyond it the oldest changes of state are left out; the strips begin later, and nothing else is missing. */
const EVENTS_MAX = 40_000;

/**
 * Brings the strips over a restart. What was counted is written down once every half minute, one row for the whole
 * fleet: a row for each agent would cost ten thousand writes to save what only eyes need. How agents were is in
 * the events already. A crash loses at most the newest half minute.
 */
export class StripKeeper {
  private readonly deps: HttpDeps;
  private readonly entries: Entries;
  private readonly writer: string;
  /** The oldest half minute that is not on record as a whole. */
  private unsaved: Instant;
  /** What others have on record of a half minute that this one has yet to write: it stays theirs. */
  private readonly others = new Map<Instant, Body[]>();
  /** Pages before this are in the strips already: a reading that broke off goes on from here. */
  private readUpTo: Instant | null = null;
  /** Pages of others that are in the strips. */
  private taken = new Map<string, Instant>();
  private cancel: () => void = () => undefined;
  private isClosed = false;

  constructor(deps: HttpDeps, entries: Entries) {
    this.deps = deps;
    this.entries = entries;
    this.writer = deps.newId();
    this.unsaved = binStart(deps.clock.now());
    this.schedule();
  }

  /** For entries that were just made from the store. */
  async recall(): Promise<void> {
    const now = this.deps.clock.now();
    this.recallStates(await this.stateChanges(later(now, -STRIP_MS)), now);
    // In small parts, with the loop free in between: ten thousand agents have a million counts in an hour.
    for (let from = this.readUpTo ?? later(now, -STRIP_MS); from <= now; from = later(from, READ_MS)) {
      const to = later(from, READ_MS);
      for (const page of await this.deps.store.stripPages(from, to)) this.take(page);
      this.readUpTo = to;
    }
  }

  /** Writes down what there is, the half minute that has just begun included. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    const now = this.deps.clock.now();
    await this.save(later(binStart(now), BIN_MS)).catch(() => undefined);
  }

  private take({ at, writer, body }: StripPage): void {
    const key = `${at} ${writer}`;
    if (writer === this.writer || this.taken.has(key)) return;
    this.taken.set(key, at);
    const counted = bodyFrom(body);
    if (at >= this.unsaved) this.others.set(at, [...(this.others.get(at) ?? []), counted]);
    for (const [agentId, counts] of Object.entries(counted)) this.entries.get(agentId)?.pulse.add(counts, at);
  }

  private schedule(): void {
    if (this.isClosed) return;
    const now = this.deps.clock.now();
    const untilNext = binStart(now) + BIN_MS - now;
    this.cancel = this.deps.clock.after(untilNext, () => {
      // A store that is away for a while gets all of it afterwards.
      void this.turnPage(binStart(this.deps.clock.now()))
        .catch(() => undefined)
        .then(() => this.schedule());
    });
  }

  /** The half minute before the last has been written down by every server by now. */
  private async turnPage(end: Instant): Promise<void> {
    await this.save(end);
    if (!this.deps.engine.isShared) return;
    const from = later(end, -READ_MS);
    for (const page of await this.deps.store.stripPages(from, later(end, -BIN_MS))) this.take(page);
    for (const [key, at] of this.taken) if (at < from) this.taken.delete(key);
  }

  private async save(end: Instant): Promise<void> {
    const oldest = later(end, -STRIP_MS);
    for (let at = Math.max(this.unsaved, oldest); at < end; at += BIN_MS) {
      const body = this.bodyOf(instant(at));
      if (body !== null) await this.deps.store.putStripPage({ at: instant(at), writer: this.writer, body });
      this.unsaved = instant(at + BIN_MS);
      this.others.delete(instant(at));
    }
  }

  private bodyOf(at: Instant): string | null {
    const counted: [string, BinCounts][] = [];
    const others = this.others.get(at) ?? [];
    for (const { agentId, pulse } of this.entries.values()) {
      const counts = others.reduce(
        (left: BinCounts | null, other) => without(left, other[agentId]),
        pulse.countsAt(at),
      );
      if (counts) counted.push([agentId, counts]);
    }
    return counted.length === 0 ? null : JSON.stringify(Object.fromEntries(counted));
  }

  /** Newest first from the store, oldest first from here. */
  private async stateChanges(since: Instant): Promise<readonly StateChange[]> {
    const found: StateChange[] = [];
    let before = (await this.deps.store.lastCursor()) + 1;
    while (found.length < EVENTS_MAX) {
      const page = await this.deps.store.readEvents({
        after: 0,
        before,
        limit: EVENTS_PAGE,
        types: ['HEALTH_STATE_CHANGED'],
      });
      for (const { event } of page) if (event.type === 'HEALTH_STATE_CHANGED') found.push(event);
      const oldest = page.at(-1);
      if (!oldest || page.length < EVENTS_PAGE || oldest.event.at < since) break;
      before = oldest.cursor;
    }
    return found.filter(({ at }) => at >= since).reverse();
  }

  private recallStates(changes: readonly StateChange[], now: Instant): void {
    const start = later(now, -STRIP_MS);
    const changed = new Set<string>();
    for (const { at, payload } of changes) {
      const entry = this.entries.get(payload.agentId);
      if (!entry) continue;
      if (!changed.has(payload.agentId) && entry.startedAt < at)
        entry.pulse.recall(payload.from, instant(Math.max(start, entry.startedAt)));
      changed.add(payload.agentId);
      entry.pulse.recall(payload.to, at);
    }
    for (const { agentId, pulse, state, stateSince } of this.entries.values())
      if (!changed.has(agentId)) pulse.recall(state, instant(Math.max(start, stateSince)));
    // In an entry of many hiccups somebody looked in between.
    const away = this.deps.engine.stalls.filter(({ from, to, lostMs }) => lostMs === to - from);
    for (const { from, to } of away) for (const { pulse } of this.entries.values()) pulse.blank(from, to);
  }
}

function without(counts: BinCounts | null, other: BinCounts | undefined): BinCounts | null {
  if (!counts || !other) return counts;
  const left: BinCounts = [
    counts[0] - other[0],
    counts[1] - other[1],
    counts[2] - other[2],
    counts[3] - other[3],
  ];
  return left.some((count) => count > 0) ? left : null;
}

/** A page that can't be read is a gap in a drawing; the fleet is shown all the same. */
function bodyFrom(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}
