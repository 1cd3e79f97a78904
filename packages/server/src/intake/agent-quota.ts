import type { Instant } from '@holter/core';
import type { Store } from '../store/store.ts';

/** Places reserved per write, so that a fleet starting together does not need one write per agent. */
const PLACES_RESERVED = 50;
/** A reserved place that is not used within this time is given up. */
const RESERVED_MS = 60_000;
/** After this long without a reservation no place is on its way to an agent, so the agents can be counted. */
const SETTLED_MS = 2 * RESERVED_MS;
/** Records read at once while counting. */
const PAGE = 100;

/** Ended agents removed in one transaction. */
const REMOVED_AT_ONCE = 100;

type QuotaContext = {
  readonly store: Pick<Store, 'getMeta' | 'swapMeta' | 'listAgents' | 'removeEnded'>;
  readonly now: () => Instant;
  readonly max: () => number;
};

/** Places that this server has reserved but not used. */
type Places = { readonly left: number; readonly until: number };

/**
 * Limits how many agents one account may have that have not ended, across all servers. Registrations are counted; only
 * when there are as many as allowed, the agents themselves are counted, because ended ones have left their places. As
 * many ended ones are kept then, the newest; so an account has at most three times as many rows as it may have agents.
 */
export class AgentQuota {
  private readonly context: QuotaContext;
  private readonly places = new Map<string, Places>();
  private reserving: Promise<void> = Promise.resolve();

  constructor(context: QuotaContext) {
    this.context = context;
  }

  /** False when the account has no place left. */
  async take(account: string): Promise<boolean> {
    if (this.leftOf(account) === 0) {
      const reserve = () => this.reserve(account);
      this.reserving = this.reserving.then(reserve, reserve);
      await this.reserving;
    }
    const left = this.leftOf(account);
    if (left === 0) return false;
    const until = this.places.get(account)?.until ?? 0;
    this.places.set(account, { left: left - 1, until });
    return true;
  }

  private leftOf(account: string): number {
    const places = this.places.get(account);
    return places && places.until > this.context.now() ? places.left : 0;
  }

  /** Reserves several places before they are used: a crash may waste a few, but never exceeds the limit. */
  private async reserve(account: string): Promise<void> {
    const { store, now, max } = this.context;
    const key = `enrolled/${account}`;
    while (this.leftOf(account) === 0) {
      const saved = await store.getMeta(key);
      const [reserved = 0, at = 0] = (saved ?? '').split(' ').map(Number);
      const isFull = reserved >= max();
      if (isFull && now() - at < SETTLED_MS) return;
      const used = isFull ? await this.count(account) : reserved;
      const next = Math.max(used, Math.min(max(), used + PLACES_RESERVED));
      const isMine = await store.swapMeta(key, saved, `${next} ${now()}`);
      if (isMine && next === used) return;
      if (isMine) this.places.set(account, { left: next - used, until: now() + RESERVED_MS });
    }
  }

  private async count(account: string): Promise<number> {
    const { store, max } = this.context;
    const ended: { readonly agentId: string; readonly at: Instant }[] = [];
    let count = 0;
    let cursor: string | null = null;
    do {
      const query = { limit: PAGE, ...(cursor !== null && { cursor }) };
      const { items, nextCursor } = await store.listAgents(query);
      for (const { hard } of items.map(({ agent }) => agent)) {
        if (hard.enrolledBy !== account) continue;
        if (hard.end) ended.push({ agentId: hard.agentId, at: hard.at });
        else count += 1;
      }
      cursor = nextCursor;
    } while (cursor !== null);
    const surplus = ended.sort((a, b) => b.at - a.at).slice(max());
    for (let from = 0; from < surplus.length; from += REMOVED_AT_ONCE)
      await store.removeEnded(surplus.slice(from, from + REMOVED_AT_ONCE).map(({ agentId }) => agentId));
    return count;
  }
}
