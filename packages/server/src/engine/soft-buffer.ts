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

  put({ soft, hard }: Agent): void {
    this.dirty.set(hard.agentId, { agentId: hard.agentId, incarnation: hard.incarnation, soft });
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
      for (const [agentId, entry] of batch) if (!this.dirty.has(agentId)) this.dirty.set(agentId, entry);
      throw error;
    } finally {
      this.isFlushing = false;
    }
  }
}
