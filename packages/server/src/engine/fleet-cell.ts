import { type FleetGuard, hashText } from '@holter/core';
import type { Store, StoredFleet } from '../store/store.ts';
import type { EngagedBrake } from './engine-options.ts';

export type FleetVersions = { readonly expectedVersion: number; readonly version: number };

/**
 * The fleet's row, as this server knows it. Turns are folded one after the other in one thread, so each
 * builds on the fleet that the one before it left, with the mark that it will have once both are committed.
 * If one of them fails, the row is read again, and whoever built on it folds again: its mark is not in the
 * store, whatever another server has written there meanwhile.
 */
export class FleetCell {
  private readonly store: Pick<Store, 'loadFleet'>;
  private readonly newId: () => string;
  private current: StoredFleet | null = null;

  constructor(store: Pick<Store, 'loadFleet'>, newId: () => string) {
    this.store = store;
    this.newId = newId;
  }

  async load(): Promise<void> {
    if (this.current) return;
    const loaded = await this.store.loadFleet();
    // Somebody else may have read it meanwhile, and built on it.
    this.current ??= loaded;
  }

  /** Another server has changed the row. Whoever has built on the old one meanwhile meets a conflict. */
  async refresh(): Promise<void> {
    this.current = await this.store.loadFleet();
  }

  get(): StoredFleet {
    if (!this.current) throw new Error('the fleet was not loaded');
    return this.current;
  }

  get isLoaded(): boolean {
    return this.current !== null;
  }

  get brakes(): readonly EngagedBrake[] {
    return Object.entries(this.current?.fleet.brakes ?? {}).flatMap(([group, { engagedAt, releaseAt }]) =>
      engagedAt === undefined ? [] : [{ group, engagedAt, releaseAt: releaseAt ?? null }],
    );
  }

  /** The first turn of a commit changed the fleet: what the commit must find, and what it leaves. */
  replace(fleet: FleetGuard): FleetVersions {
    const { version: expectedVersion } = this.get();
    const version = hashText(this.newId());
    this.current = { fleet, version };
    return { expectedVersion, version };
  }

  /** A further turn of the same commit changed it again: one commit leaves one mark. */
  amend(fleet: FleetGuard): void {
    this.current = { ...this.get(), fleet };
  }

  forget(): void {
    this.current = null;
  }
}
