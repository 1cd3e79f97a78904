import { type Instant, isStall, minutes } from '@holter/core';
import type { Clock } from './clock.ts';
import type { SoftBuffer } from './soft-buffer.ts';
import type { StallWatch } from './stall-watch.ts';

const TICK_MS = 1_000;
const LATELY_MS = minutes(10);

type TicksContext = {
  readonly clock: Clock;
  readonly stallWatch: StallWatch;
  readonly soft: Pick<SoftBuffer, 'flushSlice'>;
  /** What a tick does once the soft facts are written. It calls `betweenSlices` often, and ends if that says so. */
  readonly work: (at: Instant, betweenSlices: () => Promise<boolean>) => Promise<void>;
  /** At every tick. */
  readonly ticked: () => Promise<void>;
  readonly failed: (error: unknown) => void;
};

/**
 * The periodic work, once a second. When there is much to do, one round takes longer than that; its slices are
 * short, and the ticks that fall due meanwhile take place between them. So a tick is late only when one slice is:
 * when the machine was suspended, the event loop blocked, or the store did not answer. That is what a stall means.
 */
export class Ticks {
  private readonly context: TicksContext;
  private cancel: () => void = () => undefined;
  private round: Promise<void> | null = null;
  private isStopped = false;
  private last: Instant | null = null;
  private late = 0;
  private lateTicks: readonly Instant[] = [];

  constructor(context: TicksContext) {
    this.context = context;
  }

  get lastAt(): Instant | null {
    return this.last;
  }

  /** How late the last tick was. */
  get lagMs(): number {
    return this.late;
  }

  /** How many ticks of the last ten minutes were so late that they were a stall, if no other server ticked. */
  get lateCount(): number {
    const since = this.context.clock.now() - LATELY_MS;
    this.lateTicks = this.lateTicks.filter((at) => at > since);
    return this.lateTicks.length;
  }

  /**
   * The first tick, stored before anything else: what is stored from here on is dated by this clock. If it is ahead and
   * this server dies, the next one must not be behind it. A store that refuses it is tried again with each tick.
   */
  async open(): Promise<void> {
    try {
      await this.context.stallWatch.persist(this.begin(), true);
    } catch (error) {
      this.context.failed(error);
    }
  }

  async start(): Promise<void> {
    await this.run();
    this.schedule();
  }

  /** Resolves when the slice under way has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.round;
  }

  /** One round. */
  async run(): Promise<void> {
    const { stallWatch, work, ticked, failed } = this.context;
    const at = this.begin();
    try {
      await stallWatch.settle(at);
      if (!stallWatch.isOnRecord) await stallWatch.persist(at, true);
      await this.flush();
      await ticked();
      await work(at, () => this.flush());
      await stallWatch.persist(at);
      // Agents could not report while the store was unavailable, so that time does not count as silence.
      if (stallWatch.outage) stallWatch.endOutage();
    } catch (error) {
      failed(error);
    }
  }

  /** Writes the soft facts, so that they count wherever the agents are judged next. False: stop here. */
  private async flush(): Promise<boolean> {
    const { soft, stallWatch, clock, ticked } = this.context;
    for (let isMore = true; isMore && !this.isStopped; ) {
      isMore = await soft.flushSlice();
      if (this.last === null || clock.now() - this.last < TICK_MS) continue;
      await stallWatch.persist(this.begin());
      await ticked();
    }
    return !this.isStopped;
  }

  private begin(): Instant {
    const { clock, stallWatch } = this.context;
    const at = clock.now();
    const gap = this.last === null ? TICK_MS : at - this.last;
    this.late = Math.max(0, gap - TICK_MS);
    // While the store is away, a tick waits for it.
    if (isStall(gap) && !stallWatch.outage) this.lateTicks = [...this.lateTicks, at];
    this.last = at;
    stallWatch.tick(at);
    return at;
  }

  private schedule(): void {
    if (this.isStopped) return;
    const { clock } = this.context;
    const passedMs = this.last === null ? 0 : clock.now() - this.last;
    this.cancel = clock.after(Math.max(0, TICK_MS - passedMs), () => {
      this.round = this.run().finally(() => {
        this.round = null;
        this.schedule();
      });
    });
  }
}
