import type { Store } from '../store/store.ts';

/** Places reserved per write, so that a fleet starting together does not need one write per agent. */
const PLACES_RESERVED = 50;

/** Limits how many agents one `enroll` token may create, across all servers. */
export class AgentQuota {
  private readonly store: Pick<Store, 'getMeta' | 'swapMeta'>;
  private readonly max: number;
  /** Places that this server has reserved but not used. */
  private readonly free = new Map<string, number>();
  private reserving: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'getMeta' | 'swapMeta'>, max: number) {
    this.store = store;
    this.max = max;
  }

  /** False when the token has no place left. */
  async take(tokenId: string): Promise<boolean> {
    if (this.freeOf(tokenId) === 0) {
      const reserve = () => this.reserve(tokenId);
      this.reserving = this.reserving.then(reserve, reserve);
      await this.reserving;
    }
    const free = this.freeOf(tokenId);
    if (free === 0) return false;
    this.free.set(tokenId, free - 1);
    return true;
  }

  private freeOf(tokenId: string): number {
    return this.free.get(tokenId) ?? 0;
  }

  /** Reserves several places before they are used: a crash may waste a few, but never exceeds the limit. */
  private async reserve(tokenId: string): Promise<void> {
    const key = `enrolled/${tokenId}`;
    while (this.freeOf(tokenId) === 0) {
      const saved = await this.store.getMeta(key);
      const used = Number(saved ?? 0);
      const reserved = Math.min(this.max, used + PLACES_RESERVED);
      if (reserved <= used) return;
      if (await this.store.swapMeta(key, saved, String(reserved))) this.free.set(tokenId, reserved - used);
    }
  }
}
