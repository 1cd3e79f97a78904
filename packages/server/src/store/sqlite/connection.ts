import { existsSync, statSync } from 'node:fs';
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import Database from 'libsql';
import type { Schema } from '../sql/schema.ts';
import { StoreUnavailable } from '../store.ts';
import { copyDatabase } from './copy.ts';
import { MIGRATIONS, migrate, schemaVersionOf } from './migrations.ts';
import { Rows } from './prepared.ts';

export type ConnectionOptions = {
  readonly path: string;
  /** How long to wait for another process that holds the write lock. */
  readonly busyTimeoutMs: number;
  /** Maximum file size; beyond it the disk counts as full. */
  readonly sizeMaxBytes: number | null;
  /** The file existed before: if it is missing now, it must not be replaced by an empty one. */
  readonly isKnown: boolean;
  /** Notice a file that is damaged or not the one this folder's server wrote last; null for tools that only look. */
  readonly seal: SealOptions | null;
};

export type SealOptions = {
  /** The file was exchanged on purpose. */
  readonly isRestoreAccepted: boolean;
  readonly everyMs: number;
};

export type Connection = {
  readonly db: Kysely<Schema>;
  /** False when the path now leads to another file or to none. */
  readonly isSameFile: () => boolean;
};

const STATEMENTS_MAX = 200;

export function openFile({ path, isKnown }: ConnectionOptions): Database.Database {
  if (isKnown && !existsSync(path)) {
    throw new StoreUnavailable('missing', `the database file is gone: put ${path} back, or restart Holter`);
  }
  return new Database(path);
}

export async function connect(
  database: Database.Database,
  options: ConnectionOptions,
  copied: (file: string) => void,
): Promise<Connection> {
  database.exec(`pragma busy_timeout = ${options.busyTimeoutMs}`);
  const version = schemaVersionOf(database);
  if (version > 0 && version < MIGRATIONS.length) keepCopy(database, options.path, copied);
  prepare(database, options);
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withCache(database) }) });
  await migrate(db);
  const { ino, dev } = statSync(options.path);
  return {
    db,
    isSameFile: () => {
      const now = statSync(options.path, { throwIfNoEntry: false });
      return now?.ino === ino && now.dev === dev;
    },
  };
}

/** Copies the file before a migration, so that an earlier Holter can use the copy. Never overwrites one. */
function keepCopy(database: Database.Database, path: string, copied: (file: string) => void): void {
  const file = `${path}.before-v${MIGRATIONS.length}`;
  if (existsSync(file)) return;
  copyDatabase(database, file);
  copied(file);
}

function prepare(database: Database.Database, { sizeMaxBytes }: ConnectionOptions): void {
  database.exec('pragma journal_mode = wal');
  // In WAL mode only FULL syncs at each commit; NORMAL could lose the last commits in a power failure.
  database.exec('pragma synchronous = full');
  // Truncates a write-ahead log that has grown, for example during a backup.
  database.exec(`pragma journal_size_limit = ${64 * 2 ** 20}`);
  if (sizeMaxBytes === null) return;
  const [row] = database.prepare('pragma page_size').all([]) as { readonly page_size: number }[];
  database.exec(
    `pragma max_page_count = ${Math.max(1, Math.floor(sizeMaxBytes / (row?.page_size ?? 4_096)))}`,
  );
}

/** Caches prepared statements: Kysely prepares every query again, which costs more than running most of them. */
function withCache(database: Database.Database) {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(text: string): SqliteStatement {
      const cached = statements.get(text);
      if (cached) return cached;
      const statement = runningMany(database.prepare(text) as unknown as SqliteStatement);
      if (statements.size >= STATEMENTS_MAX) statements.clear();
      statements.set(text, statement);
      return statement;
    },
    close: () => database.close(),
  };
}

/** Runs a statement once for each row, if it is given rows. */
function runningMany(statement: SqliteStatement): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    iterate: (parameters) => statement.iterate(parameters),
    run: (parameters) => {
      const [first] = parameters;
      if (!(first instanceof Rows)) return statement.run(parameters);
      for (const row of first.rows) first.changes.push(Number(statement.run(row).changes));
      return { changes: first.changes.reduce((sum, each) => sum + each, 0), lastInsertRowid: 0 };
    },
  };
}
