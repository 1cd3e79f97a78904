import { type FleetGuard, hashText } from '@holter/core';
import type { Store, StoredFleet } from '../store/store.ts';
import type { EngagedBrake } from './engine-options.ts';

export type FleetVersions = { readonly expectedVersion: number; readonly version: number };

/**
 * The fleet's row as this server knows it. Turns are folded one at a time, so each builds on the fleet that
 * the previous one left, under the version it will have once both are committed. If a commit fails, the row
 * is read again and later turns that built on it conflict and fold again, because their expected version was
 * never stored.
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
    // A concurrent load may have finished first, and a turn may have built on its result.
    this.current ??= loaded;
  }

  /** Another server changed the row. Turns that built on the old one will fail with a conflict. */
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

  /** For the first turn of a commit that changes the fleet. Returns the expected version and the new one. */
  replace(fleet: FleetGuard): FleetVersions {
    const { version: expectedVersion } = this.get();
    const version = hashText(this.newId());
    this.current = { fleet, version };
    return { expectedVersion, version };
  }

  /** For later turns of the same commit: a commit makes one new version. */
  amend(fleet: FleetGuard): void {
    this.current = { ...this.get(), fleet };
  }

  forget(): void {
    this.current = null;
  }
}
