import { mix } from './random.ts';

/**
 * What happens next, as a binary heap over flat arrays: an ordinary day holds millions of happenings, and an
 * object for each would cost more than the rules under test.
 *
 * Happenings of the same moment come out in an order that the seed shuffles, because a real machine promises
 * none. The order comes from (seed, slot, how many of that slot so far), so leaving one agent out of a
 * scenario does not reshuffle the others.
 */
export class Schedule {
  private size = 0;
  private heap: Int32Array = new Int32Array(1024);
  private at: Float64Array = new Float64Array(1024);
  private tie: Uint32Array = new Uint32Array(1024);
  private slot: Int32Array = new Int32Array(1024);
  private act: Int32Array = new Int32Array(1024);
  private life: Int32Array = new Int32Array(1024);
  private data: unknown[] = [];
  private free: Int32Array = new Int32Array(1024);
  private freeCount = 0;
  private used = 0;
  private readonly counts: number[] = [];
  private readonly seed: number;

  /** The happening that `next` took out; plain fields, so that taking one allocates nothing. */
  nowAt = 0;
  nowSlot = 0;
  nowAct = 0;
  nowLife = 0;
  nowData: unknown = undefined;

  constructor(seed: number) {
    this.seed = seed;
  }

  get length(): number {
    return this.size;
  }

  add(at: number, slot: number, act: number, life: number, data: unknown): void {
    const index = this.freeCount > 0 ? (this.free[--this.freeCount] as number) : this.used++;
    if (index >= this.at.length) this.grow();
    const count = (this.counts[slot + 1] ?? 0) + 1;
    this.counts[slot + 1] = count;
    this.at[index] = at;
    this.tie[index] = mix(mix(this.seed, slot), count);
    this.slot[index] = slot;
    this.act[index] = act;
    this.life[index] = life;
    this.data[index] = data;
    this.heap[this.size] = index;
    this.rise(this.size++);
  }

  /** Takes the next happening out if it is due by `until`. */
  next(until: number): boolean {
    if (this.size === 0) return false;
    const top = this.heap[0] as number;
    if ((this.at[top] as number) > until) return false;
    this.nowAt = this.at[top] as number;
    this.nowSlot = this.slot[top] as number;
    this.nowAct = this.act[top] as number;
    this.nowLife = this.life[top] as number;
    this.nowData = this.data[top];
    this.data[top] = undefined;
    this.free[this.freeCount++] = top;
    this.size--;
    if (this.size > 0) {
      this.heap[0] = this.heap[this.size] as number;
      this.sink();
    }
    return true;
  }

  private isBefore(left: number, right: number): boolean {
    const difference = (this.at[left] as number) - (this.at[right] as number);
    return difference !== 0 ? difference < 0 : (this.tie[left] as number) < (this.tie[right] as number);
  }

  private rise(start: number): void {
    const heap = this.heap;
    const moving = heap[start] as number;
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = heap[parent] as number;
      if (!this.isBefore(moving, above)) break;
      heap[position] = above;
      position = parent;
    }
    heap[position] = moving;
  }

  private sink(): void {
    const heap = this.heap;
    const moving = heap[0] as number;
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.isBefore(heap[child + 1] as number, heap[child] as number)) child++;
      const below = heap[child] as number;
      if (!this.isBefore(below, moving)) break;
      heap[position] = below;
      position = child;
    }
    heap[position] = moving;
  }

  private grow(): void {
    const capacity = this.at.length * 2;
    this.heap = enlarged(this.heap, new Int32Array(capacity));
    this.at = enlarged(this.at, new Float64Array(capacity));
    this.tie = enlarged(this.tie, new Uint32Array(capacity));
    this.slot = enlarged(this.slot, new Int32Array(capacity));
    this.act = enlarged(this.act, new Int32Array(capacity));
    this.life = enlarged(this.life, new Int32Array(capacity));
    this.free = enlarged(this.free, new Int32Array(capacity));
  }
}

function enlarged<T extends Int32Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
