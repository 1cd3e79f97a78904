import { type Instant, instant } from '@holter/core';
import type { Clock } from '../src/engine/clock.ts';

type Timer = { readonly at: number; readonly callback: () => void };

/** A clock that a test moves. Between two timers everything that was started runs to its next wait. */
export class ManualClock implements Clock {
  private at: number;
  private timers: Timer[] = [];
  private readonly settle: () => Promise<void>;

  /** `settle` waits for what a timer has begun; the default is enough for a store in memory. */
  constructor(start = 1_000_000, settle: () => Promise<void> = settled) {
    this.at = start;
    this.settle = settle;
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

  async advance(ms: number): Promise<void> {
    const target = this.at + ms;
    await this.settle();
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.at = Math.max(this.at, next.at);
      next.callback();
      await this.settle();
    }
    this.at = Math.max(this.at, target);
  }

  /** Whether anything is to happen at a later time. */
  get isWaitedFor(): boolean {
    return this.timers.length > 0;
  }

  /** Time passes and nobody looks: a suspended machine. */
  jump(ms: number): void {
    this.at += ms;
  }
}

/** Lets every promise that can go on, go on. The memory store waits for nothing else. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}
