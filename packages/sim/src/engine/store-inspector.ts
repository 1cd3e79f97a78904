import type { Instant } from '@holter/core';
import type { MemoryStore } from '@holter/server';
import type { Auditor } from '../audit/auditor.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';

const PAGE = 1_000;
const RETENTION_MS = 40 * 60_000;
const PRUNED_AT_ONCE = 500;
const EFFECTS_MAX = 10_000;
/** A host that can't be reached claims nothing meanwhile. */
const TRIED_WITHIN_MS = 90 * 60_000;

/** Reads the event log as it grows, for the audit, and looks whether anything that was stored is lost again. */
export class StoreInspector {
  count = 0;
  private readonly store: MemoryStore;
  private readonly clock: VirtualClock;
  private readonly audit: Auditor;
  private cursor = 0;
  private isPaused = false;
  private readonly cursors: number[] = [];
  private readonly beats = new Map<string, { readonly incarnation: number; readonly beatAt: number }>();
  /** Effects that wait: how often they were tried, and since when. */
  private readonly tried = new Map<
    string,
    { readonly agentId: string; readonly tries: number; readonly at: number }
  >();
  /** Since its incident was opened: what retention must leave alone. */
  private readonly kept = new Map<string, number[]>();

  constructor(store: MemoryStore, clock: VirtualClock, audit: Auditor) {
    this.store = store;
    this.clock = clock;
    this.audit = audit;
  }

  async read(): Promise<void> {
    if (this.isPaused) return this.lookForWrites();
    for (;;) {
      const page = await this.store.readEvents({ after: this.cursor, limit: PAGE });
      for (const { cursor, agentId, event } of page) {
        this.audit.read({ cursor, agentId, event, at: this.clock.now() });
        this.cursors.push(cursor);
        this.cursor = cursor;
        this.count += 1;
        if (!this.audit.isInTrouble(agentId)) this.kept.delete(agentId);
        else this.kept.set(agentId, [...(this.kept.get(agentId) ?? []), cursor]);
      }
      if (page.length < PAGE) break;
    }
    this.audit.caughtUp();
  }

  private oldCursor = 0;

  /** The store is not what it was: from now on nothing may be written to it. */
  pause(): void {
    this.isPaused = true;
    void this.store.lastCursor().then((cursor) => {
      this.oldCursor = cursor;
    });
  }

  goOn(): void {
    this.isPaused = false;
    this.beats.clear();
  }

  private async lookForWrites(): Promise<void> {
    const cursor = await this.store.lastCursor();
    if (cursor <= this.oldCursor) return;
    this.audit.report(5, 'store', this.clock.now(), 'an older copy of the store was written to');
    this.oldCursor = cursor;
  }

  /** Soft facts are merged by maximum: what was stored of a start never goes back. */
  async lookAtSoft(): Promise<void> {
    if (this.isPaused) return;
    for (const agentId of this.audit.truth.agents) {
      const stored = await this.store.load(agentId);
      if (!stored) continue;
      const { incarnation } = stored.agent.hard;
      const { beatAt } = stored.agent.soft;
      const before = this.beats.get(agentId);
      if (before?.incarnation === incarnation && before.beatAt > beatAt)
        this.audit.report(
          5,
          agentId,
          this.clock.now(),
          `its stored beat went back by ${before.beatAt - beatAt} ms`,
        );
      this.beats.set(agentId, { incarnation, beatAt });
    }
  }

  /** What waits to be carried out is tried again and again, and ends with what it is about. */
  async lookAtEffects(): Promise<void> {
    if (this.isPaused) return;
    const at = this.clock.now();
    const effects = await this.store.listEffects({ limit: EFFECTS_MAX });
    const open = effects.filter(({ status }) => status === 'pending' || status === 'claimed');
    await this.read();
    const cancelled = effects.filter(({ outcome }) => outcome === 'cancelled');
    this.audit.pending.ended(
      cancelled.map(({ effect }) => effect),
      at,
    );
    this.audit.pending.look(
      open.filter(({ status }) => status === 'pending'),
      at,
    );
    const before = new Map(this.tried);
    this.tried.clear();
    for (const { effect, tries } of open) {
      const known = before.get(effect.id);
      this.tried.set(effect.id, known?.tries === tries ? known : { agentId: effect.agentId, tries, at });
    }
  }

  /** Retention at work: old events go, but not those of an incident that is open. */
  async prune(at: Instant): Promise<void> {
    await this.read();
    const before = (at - RETENTION_MS) as Instant;
    const cutoffs = {
      events: before,
      checkpoints: before,
      effects: before,
      rollups: before,
      tokens: before,
      letters: before,
      // The truth of the world knows every agent to the end.
      agents: 0 as Instant,
    };
    await this.store.prune(cutoffs, PRUNED_AT_ONCE);
    for (const [agentId, cursors] of this.kept) {
      const [first] = cursors;
      if (first === undefined) continue;
      const left = await this.store.readEvents({ after: first - 1, agentId, limit: PAGE });
      const isThere = new Set(left.map(({ cursor }) => cursor));
      const lost = left.length < PAGE ? cursors.filter((cursor) => !isThere.has(cursor)) : [];
      if (lost.length > 0)
        this.audit.report(
          4,
          agentId,
          this.clock.now(),
          `${lost.length} events of its open incident were thrown away`,
        );
    }
  }

  async finish(shown: readonly number[]): Promise<void> {
    const at = this.clock.now();
    const isShown = new Set(shown);
    if (isShown.size < shown.length) this.audit.report(4, 'reader', at, 'a reader was shown an event twice');
    // What was written in the last moments may still be on its way.
    const missed = this.cursors.filter((cursor) => !isShown.has(cursor) && cursor < this.cursor - 50);
    if (missed.length > 0)
      this.audit.report(
        4,
        'reader',
        at,
        `a reader was never shown ${missed.length} events, the first is ${missed[0]}`,
      );
    for (const [effectId, { agentId, at: triedAt }] of this.tried)
      if (at - triedAt > TRIED_WITHIN_MS)
        this.audit.report(4, agentId, at, `${effectId} waits and is no longer tried`);
  }
}
