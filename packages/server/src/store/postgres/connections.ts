import { type IsolationLevel, Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { plainText } from '../facts.ts';
import type { Schema } from '../sql/schema.ts';
import { connectFault, isConnectionLost, isRepeatable } from './faults.ts';

export type ConnectionOptions = {
  readonly url: string;
  /** The most connections that this server opens. */
  readonly connectionsMax: number;
  /** How long to wait for an answer; after it the connection is given up, and the operation counts as failed. */
  readonly answerMsMax: number;
};

/** Sends several statements in one message, and returns the rows of each. */
type Send = (statements: readonly string[]) => Promise<readonly (readonly Row[])[]>;

export type Row = Readonly<Record<string, unknown>>;

/** Large integers and sums; times and versions are below 2 ** 53. */
const NUMBERS: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const CONNECT_MS_MAX = 5_000;
const REPEATS_MAX = 10;

/** A server that stops in the middle of a transaction gives its locks back after a few seconds. */
const LIMITS =
  "select set_config('lock_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '3s', true)";

/**
 * Begins a transaction. Each statement sees what was committed before it, whatever the database's default is: the log
 * depends on that. Rows are found by their keys, in the order of the statement: the planner would read a whole table of
 * some thousand rows instead.
 */
const BEGIN: readonly string[] = [
  'begin isolation level read committed',
  'set local enable_seqscan = off',
  'set local enable_hashjoin = off',
  LIMITS,
];

/**
 * The connections of one server. Nothing but a transaction outlives a statement on any of them (no prepared statement,
 * no setting, no lock of a session), so a pooler between the two may give each transaction another connection.
 */
export class Connections {
  readonly db: Kysely<Schema>;
  private readonly pool: pg.Pool;

  constructor({ url, connectionsMax, answerMsMax }: ConnectionOptions) {
    this.pool = new pg.Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: answerMsMax,
      keepAlive: true,
      application_name: 'holter',
      types: {
        getTypeParser: ((oid: number, format?: 'text') =>
          NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
      },
    });
    // An idle connection was lost: the next operation opens another.
    this.pool.on('error', () => undefined);
    const pool = {
      // Kysely uses no cursors here.
      connect: () => this.borrow() as unknown as Promise<PostgresPoolClient>,
      end: () => Promise.resolve(),
    };
    this.db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  }

  /**
   * Runs a transaction that sends its statements in few messages. Its last statement must be `commit`; a message after
   * one that ends with `commit` begins the next transaction. All of it is repeated if another transaction came first.
   */
  transaction<T>(body: (send: Send) => Promise<T>): Promise<T> {
    return this.repeated(async () => {
      const client = await this.borrow();
      let opening = BEGIN;
      const send: Send = async (statements) => {
        const results = (await client.query([...opening, ...statements].join(';\n'), [])) as unknown;
        const rows = (Array.isArray(results) ? results : [results]).slice(opening.length);
        opening = statements.at(-1) === 'commit' ? BEGIN : [];
        return rows.map((result: { readonly rows: readonly Row[] }) => result.rows);
      };
      try {
        return await body(send);
      } catch (error) {
        await client.query('rollback', []).catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    });
  }

  /** Repeats what failed because another transaction came first. */
  async repeated<T>(body: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await body(this.db);
      } catch (error) {
        if (repeats >= REPEATS_MAX || !isRepeatable(error)) throw error;
      }
    }
  }

  /** One statement, without a transaction of its own. */
  async read(text: string, values: readonly unknown[] = []): Promise<{ readonly rows: readonly Row[] }> {
    const client = await this.borrow();
    try {
      return (await client.query(text, values)) as { readonly rows: readonly Row[] };
    } finally {
      client.release();
    }
  }

  /**
   * One message that is a transaction: it never waits for this server, even if that stops. Returns the rows of each of
   * its statements.
   */
  write(statements: readonly string[]): ReturnType<Send> {
    return this.transaction((send) => send([...statements, 'commit']));
  }

  /** A transaction of queries that are sent one after the other. */
  inTurn<T>(
    body: (db: Kysely<Schema>) => Promise<T>,
    isolation: IsolationLevel = 'read committed',
  ): Promise<T> {
    return this.db
      .transaction()
      .setIsolationLevel(isolation)
      .execute(async (transaction) => {
        await sql.raw(LIMITS).execute(transaction);
        return body(transaction);
      });
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** A connection that is closed, not given back, if an operation on it has failed to get an answer. */
  private async borrow(): Promise<Borrowed> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw connectFault(error);
    });
    let lost: Error | null = null;
    const noteLost = (error: Error): void => {
      lost = error;
    };
    client.on('error', noteLost);
    return {
      query: async (text, values) => {
        try {
          // Without values the message may have several statements.
          return await (values.length === 0 ? client.query(text) : client.query(text, values.map(storable)));
        } catch (error) {
          if (isConnectionLost(error)) lost = error as Error;
          throw error;
        }
      },
      release: () => {
        client.off('error', noteLost);
        client.release(lost ?? undefined);
      },
    };
  }
}

type Borrowed = {
  readonly query: (text: string, values: readonly unknown[]) => Promise<unknown>;
  readonly release: () => void;
};

/** PostgreSQL refuses NUL in text. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  return Array.isArray(value) ? value.map(storable) : value;
}
