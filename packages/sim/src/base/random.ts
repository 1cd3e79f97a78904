/**
 * The only dice in the simulator: sfc32, small and fast, with a state that a seed fills. Streams are split by
 * name (`seed`, `stream`), not by drawing from a parent, so that adding an agent, or leaving one out while a
 * scenario is being shortened, does not change what another agent throws.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  /** The second half of a Box-Muller pair, kept for the next call. */
  private spare = Number.NaN;

  constructor(seed: number, stream: number) {
    this.a = mix(seed, 0x9e3779b9);
    this.b = mix(stream, this.a);
    this.c = mix(seed ^ stream, this.b);
    for (let round = 0; round < 12; round++) this.int32();
  }

  private int32(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + t) | 0;
    return t >>> 0;
  }

  /** In [0, 1). */
  unit(): number {
    return this.int32() / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor(this.unit() * n);
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Memoryless waits: when the next crash comes says nothing about the last one. */
  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean;
  }

  /** Waits with a heavy tail, as model calls have: `sigma` 1 puts p99 at ten times the median. */
  lognormal(median: number, sigma: number): number {
    return median * Math.exp(sigma * this.normal());
  }

  private normal(): number {
    if (!Number.isNaN(this.spare)) {
      const kept = this.spare;
      this.spare = Number.NaN;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit()));
    const angle = 2 * Math.PI * this.unit();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}

/** Two numbers to one well-spread 32-bit number. */
export function mix(left: number, right: number): number {
  let hash = Math.imul(left ^ 0x85ebca6b, 0xcc9e2d51) ^ Math.imul((right | 0) + 0x7f4a7c15, 0x1b873593);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
