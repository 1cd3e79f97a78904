import type { Agent, Signal } from '@holter/core';
import type { SoftEntry, Store } from '../store/store.ts';

/**
 * Buffers soft facts for at most one flush interval. A newer fact replaces the older one of the same agent, so
 * an agent costs one row per flush however often it beats.
 */
export class SoftBuffer {
  private readonly store: Pick<Store, 'flushSoft'>;
  private dirty = new Map<string, SoftEntry>();
  private isFlushing = false;

  constructor(store: Pick<Store, 'flushSoft'>) {
    this.store = store;
  }

  get size(): number {
    return this.dirty.size;
  }

  /** `beats` counts the beats that are in no commit, for the roll-ups. */
  put({ soft, hard }: Agent, beats: number, wake?: SoftEntry['wake']): void {
    const { agentId, incarnation } = hard;
    this.dirty.set(
      agentId,
      joined(this.dirty.get(agentId), { agentId, incarnation, soft, beats, ...(wake && { wake }) }),
    );
  }

  /** On failure, entries that were not replaced meanwhile are kept for the next flush. */
  async flush(): Promise<void> {
    if (this.isFlushing || this.dirty.size === 0) return;
    const batch = this.dirty;
    this.dirty = new Map();
    this.isFlushing = true;
    try {
      await this.store.flushSoft([...batch.values()]);
    } catch (error) {
      for (const [agentId, entry] of batch) {
        const newer = this.dirty.get(agentId);
        this.dirty.set(agentId, newer ? joined(entry, newer) : entry);
      }
      throw error;
    } finally {
      this.isFlushing = false;
    }
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
