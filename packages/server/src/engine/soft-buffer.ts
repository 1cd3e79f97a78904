import type { Agent } from '@holter/core';
import type { SoftEntry, Store } from '../store/store.ts';

/**
 * Soft facts wait here for at most one flush interval. A newer fact of the same agent takes the place of
 * the older one, so a thousand beats a second cost one row each per flush, not a thousand.
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

  /** `beats` are those that no commit carries; the roll-ups count them. */
  put({ soft, hard }: Agent, beats: number, wake?: SoftEntry['wake']): void {
    const { agentId, incarnation } = hard;
    this.dirty.set(
      agentId,
      joined(this.dirty.get(agentId), { agentId, incarnation, soft, beats, ...(wake && { wake }) }),
    );
  }

  /** On failure everything that is not newer by now is kept for the next flush. */
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

/** The newer facts hold all that the older ones did, but for what is counted, and for a wake that stands alone. */
function joined(older: SoftEntry | undefined, newer: SoftEntry): SoftEntry {
  if (!older) return newer;
  const { beats = 0, wake = older.wake } = newer;
  return { ...newer, beats: beats + (older.beats ?? 0), ...(wake && { wake }) };
}
