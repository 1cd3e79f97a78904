import type { SimAgent } from '../agents/sim-agent.ts';
import type { Monitor } from './monitor.ts';
import type { MonitorClock } from './monitor-clock.ts';
import { OutageQueue } from './outage-queue.ts';

type Bring = (at: number, slot: number, act: number, data: unknown) => void;

/** Whether the monitor is away, until when, and what waits for its return. Times are true times. */
export class MonitorOutage {
  backAt = 0;
  private readonly monitor: Monitor;
  private readonly clock: MonitorClock;
  private readonly queue = new OutageQueue();
  private willReload = false;

  constructor(monitor: Monitor, clock: MonitorClock) {
    this.monitor = monitor;
    this.clock = clock;
  }

  get isAway(): boolean {
    return this.monitor.isAway();
  }

  leave(now: number, forMs: number, isReload: boolean): void {
    this.monitor.goAway(this.clock.at(now), forMs);
    this.willReload ||= isReload;
    this.backAt = this.clock.when(this.monitor.awayUntil);
  }

  /** Queues the call until the monitor is back; false when it is there. */
  maybeQueue(agent: SimAgent, act: number, data: unknown): boolean {
    if (this.isAway) this.queue.add(agent, act, data);
    return this.isAway;
  }

  endBy(now: number, bring: Bring): void {
    if (!this.isAway || now < this.backAt) return;
    const { monitor, clock, backAt } = this;
    if (this.willReload) monitor.restart(clock.restart(backAt, monitor.lastTickAt));
    else monitor.comeBack(monitor.awayUntil);
    this.willReload = false;
    this.queue.open(backAt, bring);
  }
}
