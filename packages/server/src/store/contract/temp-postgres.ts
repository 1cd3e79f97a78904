import { TempDatabase } from '../../../test/postgres-database.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Store } from '../store.ts';

export { hasPostgres } from '../../../test/postgres-database.ts';

/** One real database for many tests. */
export class TempPostgres extends TempDatabase {
  private store: Store | null = null;
  private other: Store | null = null;

  /** Empties the database. */
  async fresh(): Promise<Store> {
    await this.make();
    if (!this.store || !(await isOpen(this.store))) this.store = await openPostgres(this.url);
    await this.empty();
    return this.store;
  }

  /** Opens the database again, with its own connections. */
  async second(): Promise<Store> {
    this.other ??= await openPostgres(this.url);
    return this.other;
  }

  async reopen(): Promise<Store> {
    await this.store?.close();
    this.store = await openPostgres(this.url);
    return this.store;
  }

  async dispose(): Promise<void> {
    await this.store?.close();
    await this.other?.close();
    await this.drop();
  }
}

const isOpen = (store: Store): Promise<boolean> =>
  store.lastCursor().then(
    () => true,
    () => false,
  );
