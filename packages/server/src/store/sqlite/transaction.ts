import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * All or nothing. It takes the write lock at once: a transaction that reads first and writes later could
 * find the lock taken when it is too late to wait for it.
 */
export function inTransaction<T>(
  db: Kysely<Schema>,
  body: (transaction: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`begin immediate`.execute(connection);
    try {
      const result = await body(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors; a second time is then refused, and that is fine.
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}
