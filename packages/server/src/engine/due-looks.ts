import { type Instant, later } from '@holter/core';
import { type DueAgent, type Store, StoreUnavailable } from '../store/store.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Answer } from './request.ts';

const BATCH = 500;
/** Longer than one batch takes. Agents claimed by a crashed server become claimable again after it. */
const LEASE_MS = 5_000;
/** Servers flush every second, so after this delay every beat from before the deadline is in the store. */
const FLUSHED_MS = 1_500;

type DueContext = Pick<EngineOptions, 'clock' | 'checked'> & { readonly store: Pick<Store, 'claimDue'> };

/**
 * Checks each due agent once per tick. Servers that share a store claim the agents, so that only one server
 * judges each. A failure for one agent does not hold up the others.
 */
export class DueLooks {
  private readonly context: DueContext;
  private readonly isShared: boolean;
  private readonly look: (due: DueAgent) => Promise<Answer>;

  constructor(context: DueContext, isShared: boolean, look: (due: DueAgent) => Promise<Answer>) {
    this.context = context;
    this.isShared = isShared;
    this.look = look;
  }

  async run(at: Instant): Promise<void> {
    const looked = new Set<string>();
    for (;;) {
      const due = await this.claim(at, looked.size);
      const fresh = due.filter(({ agentId }) => !looked.has(agentId));
      for (const { agentId } of fresh) looked.add(agentId);
      const looks = await Promise.allSettled(fresh.map((each) => this.check(each)));
      const outage = looks.find(
        (look) => look.status === 'rejected' && look.reason instanceof StoreUnavailable,
      );
      if (outage?.status === 'rejected') throw outage.reason;
      if (fresh.length < BATCH) return;
    }
  }

  private async check(due: DueAgent): Promise<void> {
    const { clock, checked } = this.context;
    const begunAt = clock.now();
    const answer = await this.look(due);
    const state = answer.kind === 'folded' ? answer.agent.hard.health : null;
    checked?.({ agentId: due.agentId, begunAt, endedAt: clock.now(), state });
  }

  /** A server that has the store to itself takes no lease, so it need not wait for one after a crash. */
  private claim(at: Instant, looked: number): Promise<readonly DueAgent[]> {
    return this.isShared
      ? this.context.store.claimDue({ at: later(at, -FLUSHED_MS), leaseMs: LEASE_MS, limit: BATCH })
      : this.context.store.claimDue({ at, leaseMs: 0, limit: BATCH + looked });
  }
}
