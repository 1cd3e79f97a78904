import type { Instant } from '@holter/core';

/** Limits that a client can reach, by the names that `/metrics` uses. */
type LimitName =
  | 'agents_per_token'
  | 'checkpoints_per_agent'
  | 'failed_logins'
  | 'requests'
  | 'starts_per_agent'
  | 'streams'
  | 'streams_per_token';

type LimitHit = {
  readonly count: number;
  readonly lastAt: Instant;
  /** The token or agent that reached it last. */
  readonly lastBy: string;
};

/** Which limits were reached since the start, how often, and by whom last. */
export class LimitHits {
  readonly byName = new Map<LimitName, LimitHit>();
  private readonly now: () => Instant;

  constructor(now: () => Instant) {
    this.now = now;
  }

  note(name: LimitName, by: string): void {
    const count = (this.byName.get(name)?.count ?? 0) + 1;
    this.byName.set(name, { count, lastAt: this.now(), lastBy: by });
  }

  /** The latest first. */
  list(): (LimitHit & { readonly limit: LimitName })[] {
    const all = [...this.byName].map(([limit, hit]) => ({ limit, ...hit }));
    return all.sort((a, b) => b.lastAt - a.lastAt);
  }
}
