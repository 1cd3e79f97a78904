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
