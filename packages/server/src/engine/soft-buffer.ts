import type { Agent, Instant, Signal } from '@holter/core';
import type { SoftEntry, Store } from '../store/store.ts';
import type { Clock } from './clock.ts';

/** One transaction: large enough to cost little per row, small enough not to delay the next tick. */
const SLICE = 2_000;

/**
 * Buffers soft facts for at most one flush interval. A newer fact replaces the older one of the same agent, so
 * an agent costs one row per flush however often it beats.
 */
export class SoftBuffer {
  private readonly store: Pick<Store, 'flushSoft'>;
  private readonly clock: Pick<Clock, 'now'>;
  private readonly sliceMax: number;
  private dirty = new Map<string, SoftEntry>();
  /** What was dirty when the flush under way began, and is not written yet. */
  private rest: SoftEntry[] = [];
  private isFlushing = false;
  /** When the flush under way began, and the last one that succeeded. */
  private begunAt: Instant;
  private storedAt: Instant;

  constructor(store: Pick<Store, 'flushSoft'>, clock: Pick<Clock, 'now'>, sliceMax = SLICE) {
    this.store = store;
    this.clock = clock;
    this.storedAt = clock.now();
    this.begunAt = this.storedAt;
    this.sliceMax = sliceMax;
  }

  /** What was heard before this is stored. */
  get flushedAt(): Instant {
    return this.size === 0 && !this.isFlushing ? this.clock.now() : this.storedAt;
  }

  get size(): number {
    return this.dirty.size + this.rest.length;
  }

  /** `beats` counts the beats that are in no commit, for the roll-ups. */
  put({ soft, hard }: Agent, beats: number, wake?: SoftEntry['wake']): void {
    const { agentId, incarnation } = hard;
    this.dirty.set(
      agentId,
      joined(this.dirty.get(agentId), { agentId, incarnation, soft, beats, ...(wake && { wake }) }),
    );
  }

  /**
   * Writes one slice of what was there when the flush began, and returns whether some of it is left. On failure,
   * entries that were not replaced meanwhile are kept for the next flush.
   */
  async flushSlice(): Promise<boolean> {
    if (this.isFlushing || this.size === 0) return false;
    if (this.rest.length === 0) {
      this.rest = [...this.dirty.values()].reverse();
      this.dirty = new Map();
      this.begunAt = this.clock.now();
    }
    const slice = this.rest.splice(-this.sliceMax);
    this.isFlushing = true;
    try {
      await this.store.flushSoft(slice);
      if (this.rest.length === 0) this.storedAt = this.begunAt;
      return this.rest.length > 0;
    } catch (error) {
      for (const entry of [...this.rest, ...slice]) {
        const newer = this.dirty.get(entry.agentId);
        this.dirty.set(entry.agentId, newer ? joined(entry, newer) : entry);
      }
      this.rest = [];
      throw error;
    } finally {
      this.isFlushing = false;
    }
  }

  /** Writes everything. */
  async flush(): Promise<void> {
    while (this.size > 0 && !this.isFlushing) await this.flushSlice();
  }
}

/** Newer facts replace older ones, except that counts are added and a wake time is kept if the newer has none. */
function joined(older: SoftEntry | undefined, newer: SoftEntry): SoftEntry {
  if (!older) return newer;
  const { beats = 0, wake = older.wake } = newer;
  return { ...newer, beats: beats + (older.beats ?? 0), ...(wake && { wake }) };
}

/** A soft signal may be dropped: the next one carries the same information. */
export const isSoft = ({ kind }: Signal): boolean =>
  kind === 'heartbeat' || kind === 'pong' || kind === 'activity' || kind === 'tokens';
