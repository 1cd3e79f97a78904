import type { Fleet } from '@holter/core';
import type { Store, StoredFleet } from '../store/store.ts';

/**
 * The fleet's row, as this server knows it. Turns are folded one after the other in one thread, so each
 * builds on the fleet that the one before it left, with the version that it will have once both are
 * committed. If one of them fails, the row is read again, and whoever built on it folds again.
 */
export class FleetCell {
  private readonly store: Pick<Store, 'loadFleet'>;
  private current: StoredFleet | null = null;

  constructor(store: Pick<Store, 'loadFleet'>) {
    this.store = store;
  }

  async load(): Promise<void> {
    this.current ??= await this.store.loadFleet();
  }

  get(): StoredFleet {
    if (!this.current) throw new Error('the fleet was not loaded');
    return this.current;
  }

  get isLoaded(): boolean {
    return this.current !== null;
  }

  /** The first turn of a commit changed the fleet; the version that the commit must find is returned. */
  replace(fleet: Fleet): number {
    const { version } = this.get();
    this.current = { fleet, version: version + 1 };
    return version;
  }

  /** A further turn of the same commit changed it again: one commit raises the version once. */
  amend(fleet: Fleet): void {
    this.current = { ...this.get(), fleet };
  }

  forget(): void {
    this.current = null;
  }
}
