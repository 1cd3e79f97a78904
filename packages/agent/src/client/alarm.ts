import type { AgentClock } from '../real-clock.ts';

/** A timer that can be moved earlier, never later, and that does not keep the process alive. */
export class Alarm {
  private readonly clock: AgentClock;
  private readonly ring: () => void;
  private timer: NodeJS.Timeout | null = null;
  private at = 0;

  constructor(clock: AgentClock, ring: () => void) {
    this.clock = clock;
    this.ring = ring;
  }

  set(at: number): void {
    if (this.timer && this.at <= at) return;
    this.clear();
    this.at = at;
    this.timer = setTimeout(this.onTime, Math.max(0, Math.ceil(at - this.clock.monotonic())));
    this.timer.unref();
  }

  clear(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private readonly onTime = (): void => {
    this.timer = null;
    this.ring();
  };
}
