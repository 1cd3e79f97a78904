import type { Store } from '../store/store.ts';

/** So that a fleet that starts together does not wait for one more write each. */
const PLACES_RESERVED = 49;

/** How many agents one `enroll` token may bring into being. */
export class AgentQuota {
  private readonly store: Pick<Store, 'getMeta' | 'putMeta'>;
  private readonly max: number;
  private readonly places = new Map<string, { used: number; reserved: number }>();

  constructor(store: Pick<Store, 'getMeta' | 'putMeta'>, max: number) {
    this.store = store;
    this.max = max;
  }

  /** False when the token has no place left. */
  async take(tokenId: string): Promise<boolean> {
    const key = `enrolled/${tokenId}`;
    let places = this.places.get(tokenId);
    if (!places) {
      const used = Number((await this.store.getMeta(key)) ?? 0);
      places = this.places.get(tokenId) ?? { used, reserved: used };
      this.places.set(tokenId, places);
    }
    if (places.used >= this.max) return false;
    places.used += 1;
    if (places.used <= places.reserved) return true;
    // Counted before it is done, and some in advance: a crash costs a few places, never the limit.
    places.reserved = Math.min(this.max, places.used + PLACES_RESERVED);
    await this.store.putMeta(key, String(places.reserved));
    return true;
  }
}
