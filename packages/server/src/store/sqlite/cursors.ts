import { type Kysely, sql } from 'kysely';
import type { Schema } from '../sql/schema.ts';

type Db = Kysely<Schema>;

/** The last cursor assigned, even if its event has been pruned. */
export async function lastCursor(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly seq: number }>`
    select seq from sqlite_sequence where name = 'events'`.execute(db);
  return rows[0]?.seq ?? 0;
}

/** The last cursor assigned, as with events. */
export async function lastEffectChange(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly seq: number }>`
    select seq from sqlite_sequence where name = 'effect_changes'`.execute(db);
  return rows[0]?.seq ?? 0;
}
