import { contract } from '../audit/contract.ts';

/** The log of the core is short and folds old gaps together; beyond this many its sums may be a little off. */
const EXACT_MAX = 44;
/** The share of what was lost by which they may be off: seven seconds of some hundred, measured. */
const SLOP = 0.1;

/**
 * When the monitor did not look, as the world saw it. A second computation of the deadlines of absence, from
 * the full list of gaps instead of a bounded log: the earliest and the latest moment at which a deadline that
 * began at `start` may lawfully fall.
 */
export class Gaps {
  private readonly from: number[] = [];
  private readonly to: number[] = [];

  /** Two starts may show the same time, when the wall clock was set back: what both cover was lost once. */
  add(from: number, to: number): void {
    while (this.from.length > 0 && (this.from.at(-1) as number) >= from) {
      this.from.pop();
      this.to.pop();
    }
    const clear = Math.max(from, this.lastEnd);
    if (clear >= to) return;
    this.from.push(clear);
    this.to.push(to);
  }

  get lastEnd(): number {
    return this.to.at(-1) ?? 0;
  }

  /** The deadline itself: moved by the gaps that fell into it, with the grace that they earn. */
  deadline(start: number, waitMs: number, graceMaxMs: number): number {
    return this.walk(start, waitMs, graceMaxMs, 0);
  }

  earliest(start: number, waitMs: number, graceMaxMs: number): number {
    return this.walk(start, waitMs, graceMaxMs, SLOP);
  }

  /** `slop`: the share by which many small gaps may be counted too low. */
  private walk(start: number, waitMs: number, graceMaxMs: number, slop: number): number {
    let lostMs = 0;
    let lostMsMax = 0;
    let graceMs = 0;
    let count = 0;
    for (let index = this.firstAfter(start); index < this.to.length; index++) {
      const from = this.from[index] as number;
      if (from >= start + waitMs + lostMs + graceMs) break;
      const to = this.to[index] as number;
      const lost = to - Math.max(from, start);
      lostMs += lost;
      lostMsMax = Math.max(lostMsMax, lost);
      graceMs = Math.min(graceMaxMs, graceMs + Math.max(contract.graceMinMs, 2 * (to - from)));
      count++;
    }
    const tooLow = count > EXACT_MAX ? slop * (lostMs - lostMsMax) + graceMs : 0;
    return start + waitMs + lostMs + graceMs - (slop > 0 ? tooLow : 0);
  }

  /** The first moment from `at` on at which the monitor looked. */
  lookedFrom(at: number): number {
    const index = this.firstAfter(at);
    const from = this.from[index];
    return from !== undefined && from <= at ? (this.to[index] as number) : at;
  }

  latest(start: number, waitMs: number, graceMaxMs: number): number {
    let lostMs = 0;
    let slop = 0;
    let count = 0;
    for (let index = this.firstAfter(start); index < this.to.length; index++) {
      const from = this.from[index] as number;
      // A deadline that is a little off may be so by reaching the next gap, and then it moves by all of that.
      if (from >= start + waitMs + lostMs + slop + graceMaxMs) break;
      lostMs += (this.to[index] as number) - Math.max(from, start);
      count++;
      slop = count > EXACT_MAX ? SLOP * lostMs : 0;
    }
    return start + waitMs + lostMs + slop + (count > 0 ? graceMaxMs : 0) + contract.tickMs;
  }

  private firstAfter(start: number): number {
    let low = 0;
    let high = this.to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.to[middle] as number) > start) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
