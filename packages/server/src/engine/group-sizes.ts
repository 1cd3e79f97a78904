import type { Agent } from '@holter/core';
import type { Store } from '../store/store.ts';
import type { Followed } from './follower.ts';

type Size = { size: number; readonly cursor: number; isStale: boolean };

/**
 * The number of running agents in each group, for limits such as "a fifth at once". Counted in the store, then
 * adjusted by this server's commits. A commit of another server causes a recount.
 */
export class GroupSizes {
  private readonly store: Pick<Store, 'groupSize'>;
  private readonly sizes = new Map<string, Size>();

  constructor(store: Pick<Store, 'groupSize'>) {
    this.store = store;
  }

  async load(group: string): Promise<void> {
    const known = this.sizes.get(group);
    if (known && !known.isStale) return;
    // Reset before counting: a commit during the count may be missed and marks the size stale again.
    if (known) known.isStale = false;
    try {
      const counted = await this.store.groupSize(group);
      this.sizes.set(group, { ...counted, isStale: this.sizes.get(group)?.isStale ?? false });
    } catch (error) {
      if (known) known.isStale = true;
      throw error;
    }
  }

  sizeOf(group: string): number {
    return this.sizes.get(group)?.size ?? 1;
  }

  follow({ own, events }: Followed): void {
    if (!own) {
      if (events.some(({ type }) => CHANGES_SIZE.has(type)))
        for (const size of this.sizes.values()) size.isStale = true;
      return;
    }
    const { before, stored, firstCursor } = own;
    if (before) this.add(before, -1, firstCursor);
    this.add(stored.agent, 1, firstCursor);
  }

  private add({ hard }: Agent, by: number, cursor: number | null): void {
    const known = this.sizes.get(hard.group);
    // Commits from before the count are already included.
    if (!known || hard.end || (cursor !== null && cursor <= known.cursor)) return;
    known.size = Math.max(0, known.size + by);
  }
}

const CHANGES_SIZE: ReadonlySet<string> = new Set([
  'AGENT_REGISTERED',
  'AGENT_ENDED',
  'AGENT_RETURNED',
  'AGENT_TERMINATED',
]);
