import { type Instant, instant } from '@holter/core';
import type { Clock } from '@holter/server';

/** Time for the real engine in a simulated world: it moves only when the world says so. */
export class VirtualClock implements Clock {
  private at: number;
  private timers: { readonly at: number; readonly callback: () => void }[] = [];

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
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** To the next timer or by `ms`, whichever is sooner; what the timer started has run when it returns. */
  async advance(ms: number): Promise<void> {
    // What was asked for before this moment happens at its own time, however slow the store is.
    await this.quiet();
    const target = this.at + ms;
    for (;;) {
      const due = this.timers.filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers = this.timers.filter((other) => other !== due);
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
