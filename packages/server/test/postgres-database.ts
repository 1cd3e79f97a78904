import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** False where no PostgreSQL is installed. */
export const hasPostgres = (): boolean => inject('postgres') !== null;

/** A database of its own in the PostgreSQL of this run. */
export class TempDatabase {
  readonly url: string;
  private readonly name = `holter_${randomBytes(8).toString('hex')}`;
  private readonly server = inject('postgres') ?? 'postgres://missing';
  private beside: pg.Client | null = null;
  private isMade = false;
  private tables: readonly string[] | null = null;

  constructor() {
    const url = new URL(this.server);
    url.pathname = `/${this.name}`;
    this.url = url.href;
  }

  async make(): Promise<void> {
    if (!this.isMade) await this.manage(`create database ${this.name}`);
    this.isMade = true;
  }

  /** Runs statements beside the store. */
  async run(statements: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    this.beside ??= await connected(this.url);
    return (await this.beside.query(statements)).rows ?? [];
  }

  /** Deletes every row. Faster than `truncate`, which makes new files for each table. */
  async empty(): Promise<void> {
    this.tables ??= (
      await this.run(
        "select tablename from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'log_ends')",
      )
    ).map(({ tablename }) => String(tablename));
    const deletions = this.tables.map((table) => `delete from ${table}`);
    await this.run([...deletions, 'update log_ends set last = 0'].join('; '));
  }

  async drop(): Promise<void> {
    await this.beside?.end();
    if (this.isMade) await this.manage(`drop database ${this.name} with (force)`);
  }

  private async manage(statement: string): Promise<void> {
    const client = await connected(this.server);
    await client.query(statement);
    await client.end();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}
