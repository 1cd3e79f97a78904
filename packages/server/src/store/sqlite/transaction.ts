import { type Kysely, sql } from 'kysely';
import type { Schema } from '../sql/schema.ts';

/**
 * Runs a transaction that takes the write lock at the start: one that reads first and writes later could fail to
 * upgrade its lock.
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
      // After some errors SQLite has already rolled back; the error of a second rollback is ignored.
      await sql`rollback`.execute(connection).catch(() => undefined);
      throw error;
    }
  });
}
