import { type Instant, later } from '@holter/core';
import { type DueAgent, type Store, StoreUnavailable } from '../store/store.ts';

const BATCH = 500;
/** Longer than a look at one batch takes; what a crashed server had claimed comes back after it. */
const LEASE_MS = 5_000;
/** Other servers flush once a second: after this, whatever they heard before a deadline is in the store. */
const FLUSHED_MS = 1_500;

/**
 * Gives every agent whose time has come one look a tick. Servers that share a store claim them, so that each is
 * judged by one of them; one that can't be judged does not keep the others from it.
 */
export class DueLooks {
  private readonly store: Pick<Store, 'claimDue'>;
  private readonly isShared: boolean;
  private readonly look: (due: DueAgent) => Promise<unknown>;

  constructor(store: Pick<Store, 'claimDue'>, isShared: boolean, look: (due: DueAgent) => Promise<unknown>) {
    this.store = store;
    this.isShared = isShared;
    this.look = look;
  }

  async run(at: Instant): Promise<void> {
    const looked = new Set<string>();
    for (;;) {
      const due = await this.claim(at, looked.size);
      const fresh = due.filter(({ agentId }) => !looked.has(agentId));
      for (const { agentId } of fresh) looked.add(agentId);
      const looks = await Promise.allSettled(fresh.map((each) => this.look(each)));
      const outage = looks.find(
        (look) => look.status === 'rejected' && look.reason instanceof StoreUnavailable,
      );
      if (outage?.status === 'rejected') throw outage.reason;
      if (fresh.length < BATCH) return;
    }
  }

  /** Alone with the store there is nobody to claim them from, and no lease to wait for after a crash. */
  private claim(at: Instant, looked: number): Promise<readonly DueAgent[]> {
    return this.isShared
      ? this.store.claimDue({ at: later(at, -FLUSHED_MS), leaseMs: LEASE_MS, limit: BATCH })
      : this.store.claimDue({ at, leaseMs: 0, limit: BATCH + looked });
  }
}
