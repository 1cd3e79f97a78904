import type { Clock } from '../engine/clock.ts';

/** Letters that another server takes in are found this soon. */
const LOOK_MS = 5_000;

/** Those who wait for a letter: told at once about one that this server takes in. */
export class MailWaits {
  private readonly clock: Clock;
  private readonly waiting = new Map<string, Set<() => void>>();
  private isClosed = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Looks until there is something, the time is over, or the client is gone or may look no more. */
  async until<T>(
    name: string,
    waitMs: number,
    isGone: () => Promise<boolean>,
    look: () => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const deadline = this.clock.now() + waitMs;
    for (;;) {
      const arrival = this.arrival(name);
      try {
        const found = await look();
        const leftMs = deadline - this.clock.now();
        if (found.length > 0 || leftMs <= 0 || this.isClosed) return found;
        await arrival.within(Math.min(leftMs, LOOK_MS));
        if (await isGone()) return [];
      } finally {
        arrival.cancel();
      }
    }
  }

  /** Whether somebody waits for it. */
  tell(name: string): boolean {
    const waiting = this.waiting.get(name);
    for (const wake of waiting ?? []) wake();
    return waiting !== undefined;
  }

  close(): void {
    this.isClosed = true;
    for (const name of [...this.waiting.keys()]) this.tell(name);
  }

  /** Listens from now on, so that nothing is missed between a look and the wait. */
  private arrival(name: string): { within: (ms: number) => Promise<void>; cancel: () => void } {
    let wake: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const waiting = this.waiting.get(name) ?? new Set();
    this.waiting.set(name, waiting.add(wake));
    let stopTimer: () => void = () => undefined;
    return {
      within: (ms) => {
        stopTimer = this.clock.after(ms, wake);
        return arrived;
      },
      cancel: () => {
        stopTimer();
        waiting.delete(wake);
        if (waiting.size === 0 && this.waiting.get(name) === waiting) this.waiting.delete(name);
      },
    };
  }
}
