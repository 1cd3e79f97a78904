import type { Instant } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Announcement, ServerList } from '../engine/server-list.ts';

/** The others hear of an account's requests when it makes more than this share of what it may in a second. */
const BUSY_SHARE = 0.1;
/** For so long an announcement repeats what the others must not miss. */
const TOLD_MS = 5_000;

type Use = { total: number; toldTotal: number; busyAt: Instant | null };
type Totals = Readonly<Record<string, number>>;

/**
 * What the servers that share a store tell each other about tokens: how many requests each has granted to the busy
 * accounts, as totals, because an announcement may be missed; and which tokens were revoked.
 */
export class SharedUse {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly uses = new Map<string, Use & { perSecond: number }>();
  private readonly revoked = new Map<string, Instant>();
  /** The last totals of each other server. */
  private heard = new Map<string, Map<string, number>>();

  constructor(
    servers: ServerList,
    clock: Pick<Clock, 'now'>,
    heed: (granted: ReadonlyMap<string, number>, revoked: ReadonlySet<string>) => void,
  ) {
    this.clock = clock;
    servers.share('requests', () => this.tellGranted());
    servers.share('revoked', () => this.tellRevoked());
    servers.onNews((news) => {
      for (const { counts, ...server } of news)
        heed(this.newlyGranted(server, counts.requests ?? {}), new Set(Object.keys(counts.revoked ?? {})));
      for (const id of this.heard.keys()) if (!servers.isAlive(id)) this.heard.delete(id);
    });
  }

  noteGranted(account: string, perSecond: number): void {
    const use = this.uses.get(account);
    if (use) use.total += 1;
    else this.uses.set(account, { total: 1, toldTotal: 0, busyAt: null, perSecond });
  }

  noteRevoked(tokenId: string): void {
    this.revoked.set(tokenId, this.clock.now());
  }

  private tellGranted(): Totals {
    const now = this.clock.now();
    const told: Record<string, number> = {};
    for (const [account, use] of this.uses) {
      if (use.total - use.toldTotal >= use.perSecond * BUSY_SHARE) use.busyAt = now;
      use.toldTotal = use.total;
      if (use.busyAt !== null && now - use.busyAt <= TOLD_MS) told[account] = use.total;
      else this.uses.delete(account);
    }
    return told;
  }

  private tellRevoked(): Totals {
    const now = this.clock.now();
    for (const [id, at] of this.revoked) if (now - at > TOLD_MS) this.revoked.delete(id);
    return Object.fromEntries(this.revoked);
  }

  /** A total that is less than before begins anew: the account was not busy in between. */
  private newlyGranted({ id }: Pick<Announcement, 'id'>, totals: Totals): ReadonlyMap<string, number> {
    const before = this.heard.get(id);
    this.heard.set(id, new Map(Object.entries(totals)));
    return new Map(
      Object.entries(totals).map(([account, total]) => {
        const known = before?.get(account) ?? 0;
        return [account, total >= known ? total - known : total];
      }),
    );
  }
}
