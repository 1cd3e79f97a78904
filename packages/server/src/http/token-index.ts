import { type Instant, instant } from '@holter/core';
import type { Store } from '../store/store.ts';

/** It is thrown away this soon, and read again if it is still needed: other servers make tokens too. */
const RELOAD_MS = 60_000;

/**
 * Which tokens exist, without a look-up for each. It is needed only while somebody sends more wrong tokens than are
 * looked up: then it tells those that exist from those that were made up. 52 bits of a SHA-256 are kept of each.
 */
export class TokenIndex {
  private readonly store: Pick<Store, 'listTokens'>;
  private loading: Promise<Set<number>> | null = null;
  private loadedAt: Instant = instant(0);

  constructor(store: Pick<Store, 'listTokens'>) {
    this.store = store;
  }

  /** True for some that were revoked since; the store is asked about those. */
  async mayExist(hash: string, now: Instant): Promise<boolean> {
    this.expire(now);
    if (this.loading === null) {
      this.loadedAt = now;
      this.loading = this.load();
    }
    return (await this.loading).has(keyOf(hash));
  }

  /** Call when the token is stored. */
  add(hash: string, now: Instant): void {
    this.expire(now);
    this.loading?.then(
      (keys) => keys.add(keyOf(hash)),
      () => undefined,
    );
  }

  private expire(now: Instant): void {
    if (now - this.loadedAt >= RELOAD_MS) this.loading = null;
  }

  private async load(): Promise<Set<number>> {
    try {
      const tokens = await this.store.listTokens();
      return new Set(tokens.filter(({ revokedAt }) => revokedAt === null).map(({ hash }) => keyOf(hash)));
    } catch (error) {
      this.loading = null;
      throw error;
    }
  }
}

const keyOf = (hash: string): number => Number.parseInt(hash.slice(0, 13), 16);
