import type { Instant } from '@holter/core';

type Entry = { readonly wakeAt: Instant; readonly agentId: string };

/**
 * A binary heap of wake times. When an agent's time changes, the old entry stays and is dropped when it reaches the
 * top, so a commit costs O(log n) without a search.
 */
export class WakeQueue {
  private readonly heap: Entry[] = [];
  private readonly isCurrent: (entry: Entry) => boolean;

  constructor(isCurrent: (entry: Entry) => boolean) {
    this.isCurrent = isCurrent;
  }

  push(entry: Entry): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  }

  /** The earliest entry that is still valid. */
  peek(): Entry | undefined {
    let first = this.heap[0];
    while (first !== undefined && !this.isCurrent(first)) {
      this.pop();
      first = this.heap[0];
    }
    return first;
  }

  /** Unclaimed entries up to `at`, in order; all stay in the queue. */
  upTo(at: Instant, limit: number, isFree: (entry: Entry) => boolean): readonly Entry[] {
    const taken: Entry[] = [];
    const claimed: Entry[] = [];
    const seen = new Set<string>();
    for (let next = this.peek(); next !== undefined && next.wakeAt <= at; next = this.peek()) {
      if (taken.length >= limit) break;
      this.pop();
      // An agent whose time changed and then changed back is in the heap twice.
      if (seen.has(next.agentId)) continue;
      seen.add(next.agentId);
      if (isFree(next)) taken.push(next);
      else claimed.push(next);
    }
    for (const entry of [...taken, ...claimed]) this.push(entry);
    return taken;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, last)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.wakeAt === b.wakeAt ? a.agentId < b.agentId : a.wakeAt < b.wakeAt;
}
