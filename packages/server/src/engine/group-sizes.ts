import type { Agent } from '@holter/core';
import type { Store } from '../store/store.ts';

/** How many living agents each group has, for "a fifth of them at once". Counted along with the commits. */
export class GroupSizes {
  private readonly store: Pick<Store, 'groupSize'>;
  private readonly sizes = new Map<string, number>();

  constructor(store: Pick<Store, 'groupSize'>) {
    this.store = store;
  }

  async load(group: string): Promise<void> {
    if (!this.sizes.has(group)) this.sizes.set(group, await this.store.groupSize(group));
  }

  sizeOf(group: string): number {
    return this.sizes.get(group) ?? 1;
  }

  follow(before: Agent | null, after: Agent): void {
    if (before && !before.hard.end) this.add(before.hard.group, -1);
    if (!after.hard.end) this.add(after.hard.group, 1);
  }

  private add(group: string, by: number): void {
    const size = this.sizes.get(group);
    if (size !== undefined) this.sizes.set(group, Math.max(0, size + by));
  }
}
