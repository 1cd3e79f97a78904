import type { Agent, Effect, HolterEvent } from '@holter/core';
import { isKept } from '../store/facts.ts';
import type { EffectChange, Store, StoredAgent, StoredEvent } from '../store/store.ts';
import type { Clock } from './clock.ts';
import { Listeners } from './listeners.ts';

/** A durable commit made by this server. */
export type OwnCommit = {
  readonly before: Agent | null;
  readonly stored: StoredAgent;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** Cursor of the first stored event; null when none was stored. */
  readonly firstCursor: number | null;
  /** What the store has logged of effects that it cancelled with it, at a later cursor. */
  readonly cancelled?: readonly HolterEvent[];
  /** Of the first input. */
  readonly correlationId: string;
  /** What it folded in. */
  readonly inputs: readonly CommittedInput[];
};

type CommittedInput = {
  readonly correlationId: string;
  /** `signal error`, `tick`, `decision`, `register` … */
  readonly what: string;
};

/** What was committed about one agent, by this server or another. */
export type Followed = {
  /** The record after this commit, or after a later one; null for events about the whole fleet. */
  readonly stored: StoredAgent | null;
  readonly events: readonly HolterEvent[];
  /** Null when another server made the commit. */
  readonly own: OwnCommit | null;
};

/** `outcome` is that of a settled effect. */
export type FollowedEffect = Pick<EffectChange, 'what'> & {
  readonly effect: Effect;
  readonly outcome: EffectChange['stored']['outcome'];
};

type FollowerContext = {
  readonly store: Pick<
    Store,
    'readEvents' | 'loadMany' | 'readEffectChanges' | 'lastEffectChange' | 'listEffects'
  >;
  readonly clock: Clock;
  /** Other servers write to the same store, so it is polled twice a second, not only to fill gaps. */
  readonly isShared: boolean;
  /** Called with the cursor of the last event read. */
  readonly saw: (cursor: number) => void;
  readonly failed: (error: unknown) => void;
};

const POLL_MS = 500;
const PAGE = 500;
const OFFERED_MAX = 100_000;

/**
 * The feed for all projections: every commit of every server, once, in the order of the event cursor. An own
 * commit that directly follows the last one is passed on at once, without reading the store. A gap between
 * the two was written by another server and is read first.
 */
export class Follower {
  private readonly context: FollowerContext;
  private readonly followed = new Listeners<Followed>();
  private readonly effects = new Listeners<FollowedEffect>();
  /** Own commits that wait for a gap to be read, in cursor order. */
  private waiting: OwnCommit[] = [];
  /** Effects of own commits, which the effect feed will repeat. */
  private readonly ownEffects = new Set<string>();
  private cursor = 0;
  private effectCursor = 0;
  private reading: Promise<void> | null = null;
  private cancel: () => void = () => undefined;
  private isStopped = false;
  /** There are events that no own commit will pass on. */
  private isBehind = false;

  constructor(context: FollowerContext) {
    this.context = context;
  }

  /** Follows from this cursor on. Effects that other servers offered earlier are reported too. */
  async start(cursor: number): Promise<void> {
    this.cursor = cursor;
    if (!this.context.isShared) return;
    const { store } = this.context;
    this.effectCursor = await store.lastEffectChange();
    for (const { effect, outcome } of await store.listEffects({ isOffered: true, limit: OFFERED_MAX }))
      this.effects.tell({ what: 'offered', effect, outcome });
    this.schedule();
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  onCommit(listener: (followed: Followed) => void): () => void {
    return this.followed.add(listener);
  }

  /** Effects ordered by any server, and those offered or settled by other servers. May report one twice. */
  onEffect(listener: (change: FollowedEffect) => void): () => void {
    return this.effects.add(listener);
  }

  committed(own: OwnCommit): void {
    this.waiting.push(own);
    if (!this.reading) this.passOn();
    if (own.cancelled) {
      this.isBehind = true;
      void this.poll().catch(this.context.failed);
    }
    for (const effect of own.effects) {
      if (this.context.isShared) this.ownEffects.add(effect.id);
      this.effects.tell({ what: 'ordered', effect, outcome: null });
    }
  }

  /** Reads commits of other servers; resumes where a failed read stopped. */
  poll(): Promise<void> {
    if (!this.context.isShared && this.waiting.length === 0 && !this.isBehind) return Promise.resolve();
    const before = this.cursor;
    this.reading ??= this.read().finally(() => {
      this.reading = null;
      // No progress means that the missing commit is not visible yet; the next poll tries again.
      this.passOn(this.cursor > before);
    });
    return this.reading;
  }

  private schedule(): void {
    if (this.isStopped) return;
    this.cancel = this.context.clock.after(POLL_MS, () => {
      void this.poll()
        .catch(this.context.failed)
        .then(() => this.schedule());
    });
  }

  private passOn(canRead = true): void {
    for (let own = this.waiting[0]; own; own = this.waiting[0]) {
      if (own.firstCursor !== null && own.firstCursor > this.cursor + 1) {
        if (canRead) void this.poll().catch(this.context.failed);
        return;
      }
      this.waiting.shift();
      this.tellOwn(own);
    }
  }

  private tellOwn(own: OwnCommit): void {
    const { stored, events, firstCursor } = own;
    // A read has already returned this commit's events, so they were reported as another server's.
    const isTold = firstCursor !== null && firstCursor <= this.cursor;
    if (firstCursor !== null)
      this.cursor = Math.max(this.cursor, firstCursor + events.filter(isKept).length - 1);
    this.followed.tell(isTold ? { stored, events: [], own: null } : { stored, events, own });
  }

  /** Effects are read before events, and told after them: one is settled after its receipt. */
  private async read(): Promise<void> {
    const { store, isShared } = this.context;
    for (let isMore = true; isMore && !this.isStopped; ) {
      const changes = isShared
        ? await store.readEffectChanges({ after: this.effectCursor, limit: PAGE })
        : [];
      await this.readEvents();
      for (const change of changes) this.tellEffect(change);
      isMore = changes.length === PAGE;
    }
  }

  private async readEvents(): Promise<void> {
    const wasBehind = this.isBehind;
    this.isBehind = false;
    try {
      for (let isMore = true; isMore && !this.isStopped; ) isMore = await this.readPage();
    } catch (error) {
      this.isBehind ||= wasBehind;
      throw error;
    }
  }

  private async readPage(): Promise<boolean> {
    const { store, saw } = this.context;
    const page = await store.readEvents({ after: this.cursor, limit: PAGE });
    const foreign = page.filter(({ cursor }) => !this.waiting.some((own) => isOf(own, cursor)));
    const ids = [...new Set(foreign.map(({ agentId }) => agentId))];
    const records = ids.length === 0 ? [] : await store.loadMany(ids);
    const byId = new Map(records.map((stored) => [stored.agent.hard.agentId, stored]));
    for (const { cursor, agentId, event } of page) this.tellNext(cursor, agentId, event, byId);
    saw(this.cursor);
    return page.length === PAGE;
  }

  private tellNext(
    cursor: number,
    agentId: StoredEvent['agentId'],
    event: HolterEvent,
    records: ReadonlyMap<string, StoredAgent>,
  ): void {
    // Own commits without stored events have no cursor and keep their place in the queue.
    while (this.waiting[0] && (this.waiting[0].firstCursor ?? 0) <= Math.max(this.cursor, cursor - 1))
      this.tellOwn(this.waiting.shift() as OwnCommit);
    if (this.waiting[0]?.firstCursor === cursor) this.tellOwn(this.waiting.shift() as OwnCommit);
    if (cursor <= this.cursor) return;
    this.cursor = cursor;
    this.followed.tell({ stored: records.get(agentId) ?? null, events: [event], own: null });
  }

  private tellEffect({ cursor, what, stored: { effect, outcome } }: EffectChange): void {
    this.effectCursor = cursor;
    if (what !== 'ordered' || !this.ownEffects.delete(effect.id))
      this.effects.tell({ what, effect, outcome });
  }
}

function isOf({ firstCursor, events }: OwnCommit, cursor: number): boolean {
  if (firstCursor === null || cursor < firstCursor) return false;
  return cursor < firstCursor + events.filter(isKept).length;
}
