import pg from 'pg';
import { inject } from 'vitest';
import { realDice } from '../../real-clock.ts';
import { openPostgres } from '../postgres/index.ts';
import type { Store } from '../store.ts';

/** False where no PostgreSQL is installed. */
export const hasPostgres = (): boolean => inject('postgres') !== null;

/** One real database for many tests. */
export class TempPostgres {
  private readonly name = `holter_${realDice.newId().replaceAll('-', '')}`;
  private isMade = false;
  private tables: readonly string[] | null = null;
  private beside: pg.Client | null = null;
  private store: Store | null = null;
  private other: Store | null = null;

  /** The address of the database. */
  get url(): string {
    const url = new URL(inject('postgres') ?? '');
    url.pathname = `/${this.name}`;
    return url.href;
  }

  /** Makes the database, or empties it. */
  async fresh(): Promise<Store> {
    if (!this.isMade) await this.manage(`create database ${this.name}`);
    this.isMade = true;
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

  /** Runs statements beside the store. */
  async run(statements: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    this.beside ??= await connected(this.url);
    return (await this.beside.query(statements)).rows ?? [];
  }

  async dispose(): Promise<void> {
    await this.store?.close();
    await this.other?.close();
    await this.beside?.end();
    if (this.isMade) await this.manage(`drop database ${this.name} with (force)`);
  }

  private async manage(statement: string): Promise<void> {
    const client = await connected(inject('postgres') ?? '');
    await client.query(statement);
    await client.end();
  }

  /** Faster than `truncate`, which makes new files for each table. */
  private async empty(): Promise<void> {
    this.tables ??= (
      await this.run(
        "select tablename from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'log_ends')",
      )
    ).map(({ tablename }) => String(tablename));
    const deletions = this.tables.map((table) => `delete from ${table}`);
    await this.run([...deletions, 'update log_ends set last = 0'].join('; '));
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

const isOpen = (store: Store): Promise<boolean> =>
  store.lastCursor().then(
    () => true,
    () => false,
  );
