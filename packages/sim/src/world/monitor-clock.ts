import { DAY_START } from '../base/scenario.ts';

/**
 * The monitor's clock beside true time. While it runs it is monotonic and a little fast or slow. A restart reads
 * the wall clock, which may have been set meanwhile, but never goes back behind the last stored tick.
 */
export class MonitorClock {
  private readonly rate: number;
  private base = DAY_START;
  private shown = DAY_START;
  private wallOffsetMs = 0;

  constructor(rate: number) {
    this.rate = rate;
  }

  /** What it shows at a true moment. */
  at(now: number): number {
    return this.shown + (now - this.base) * this.rate;
  }

  /** The true moment at which it will show this, if nothing happens to it. */
  when(at: number): number {
    return this.base + (at - this.shown) / this.rate;
  }

  stepWall(byMs: number): void {
    this.wallOffsetMs += byMs;
  }

  restart(now: number, lastTickAt: number): number {
    this.shown = Math.max(lastTickAt, now + this.wallOffsetMs);
    this.base = now;
    return this.shown;
  }
}
