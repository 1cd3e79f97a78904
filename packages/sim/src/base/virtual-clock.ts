import { type Instant, instant } from '@holter/core';
import type { Clock } from '@holter/server';

type Timer = { readonly at: number; readonly callback: () => void };

/** Time for the real engine in a simulated world: it moves only when the world says so. */
export class VirtualClock implements Clock {
  private at: number;
  /** Latest first: the next one is at the end, and of those for one moment the one that was set first. */
  private timers: Timer[] = [];

  private readonly quiet: () => Promise<void>;

  /** `quiet` waits until everything that a timer started has run as far as it can. */
  constructor(start: Instant, quiet: () => Promise<void>) {
    this.at = start;
    this.quiet = quiet;
  }

  now(): Instant {
    return instant(this.at);
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.at + ms, callback };
    let low = 0;
    let high = this.timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.timers[middle] as Timer).at <= timer.at) high = middle;
      else low = middle + 1;
    }
    this.timers.splice(low, 0, timer);
    return () => {
      const index = this.timers.indexOf(timer);
      if (index >= 0) this.timers.splice(index, 1);
    };
  }

  /** By `ms`, timer after timer; what each of them started has run before the next. */
  async advance(ms: number): Promise<void> {
    // What was asked for before this moment happens at its own time, however slow the store is.
    await this.quiet();
    const target = this.at + ms;
    for (;;) {
      const due = this.timers.at(-1);
      if (!due || due.at > target) break;
      this.timers.pop();
      this.at = due.at;
      due.callback();
      await this.quiet();
    }
    this.at = target;
    await this.quiet();
  }

  /** The process is gone, and its timers with it. */
  forgetTimers(): void {
    this.timers = [];
  }
}
