import { type Instant, instant } from '@holter/core';
import { type DueAgent, type Store, StoreUnavailable } from '../store/store.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Answer } from './request.ts';
import type { ServerList } from './server-list.ts';

/** Claimed at once. */
const CLAIMED = 1_000;
/** Judged at once: enough to share their commits, few enough not to delay the next tick. */
const SLICE = 250;
/**
 * Longer than those claimed at once take, and short enough for a takeover within 5 s: agents claimed by a crashed server
 * become claimable again after it.
 */
const LEASE_MS = 3_000;

type DueContext = Pick<EngineOptions, 'clock' | 'checked' | 'sliceMax'> & {
  readonly store: Pick<Store, 'claimDue'>;
};

/**
 * Checks each due agent once per tick. Servers that share a store claim the agents, so that only one server
 * judges each. A failure for one agent does not hold up the others.
 */
export class DueLooks {
  private readonly context: DueContext;
  /** Null for a server that has the store to itself. */
  private readonly servers: Pick<ServerList, 'flushedAt'> | null;
  private readonly look: (due: DueAgent) => Promise<Answer>;

  constructor(context: DueContext, servers: DueLooks['servers'], look: (due: DueAgent) => Promise<Answer>) {
    this.context = context;
    this.servers = servers;
    this.look = look;
  }

  /** `betweenSlices` writes when the agents of a slice are due again. False: stop here. */
  async run(at: Instant, betweenSlices: () => Promise<boolean>): Promise<void> {
    const { sliceMax = SLICE } = this.context;
    const claimed = Math.min(CLAIMED, 4 * sliceMax);
    const looked = new Set<string>();
    for (let limit = claimed; ; ) {
      const due = await this.claim(at, limit);
      const fresh = due.filter(({ agentId }) => !looked.has(agentId));
      for (const { agentId } of fresh) looked.add(agentId);
      await this.judgeAll(fresh, sliceMax, betweenSlices);
      if (due.length < limit || !(await betweenSlices())) return;
      // An agent whose check failed stays due, and comes before the others again.
      limit = claimed + due.length - fresh.length;
    }
  }

  /** While the store commits one slice, the next one is judged. */
  private async judgeAll(
    due: readonly DueAgent[],
    sliceMax: number,
    betweenSlices: () => Promise<boolean>,
  ): Promise<void> {
    let isGoingOn = true;
    let outage: StoreUnavailable | null = null;
    let before: ReturnType<typeof this.judge> = Promise.resolve(null);
    for (let first = 0; first < due.length && isGoingOn && !outage; first += sliceMax) {
      const judging = this.judge(due.slice(first, first + sliceMax));
      outage = await before;
      before = judging;
      isGoingOn = await betweenSlices();
    }
    outage = (await before) ?? outage;
    if (outage) throw outage;
  }

  /** Returns the fault if the store was unavailable. */
  private async judge(slice: readonly DueAgent[]): Promise<StoreUnavailable | null> {
    const looks = await Promise.allSettled(slice.map((each) => this.check(each)));
    for (const look of looks)
      if (look.status === 'rejected' && look.reason instanceof StoreUnavailable) return look.reason;
    return null;
  }

  private async check(due: DueAgent): Promise<void> {
    const { clock, checked } = this.context;
    const begunAt = clock.now();
    const answer = await this.look(due);
    const state = answer.kind === 'folded' ? answer.agent.hard.health : null;
    checked?.({ agentId: due.agentId, begunAt, endedAt: clock.now(), state });
  }

  /**
   * Several servers judge only deadlines before which every server has stored what it heard. A server that has the
   * store to itself takes no lease, so it need not wait for one after a crash.
   */
  private claim(at: Instant, limit: number): Promise<readonly DueAgent[]> {
    const { servers } = this;
    const flushedAt = servers && instant(Math.min(at, servers.flushedAt));
    return flushedAt !== null
      ? this.context.store.claimDue({ at: flushedAt, leaseMs: LEASE_MS, limit })
      : this.context.store.claimDue({ at, leaseMs: 0, limit });
  }
}
