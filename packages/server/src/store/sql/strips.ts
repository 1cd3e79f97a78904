import { type Instant, instant } from '@holter/core';
import type { Kysely } from 'kysely';
import { STRIP_MS, type StripPage } from '../store.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

export async function putStripPage(db: Db, { at, writer, body }: StripPage): Promise<void> {
  await db
    .deleteFrom('strip_pages')
    .where('at', '<', at - STRIP_MS)
    .execute();
  await db
    .insertInto('strip_pages')
    .values({ at, writer, body })
    .onConflict((conflict) => conflict.columns(['at', 'writer']).doUpdateSet({ body }))
    .execute();
}

export async function stripPages(db: Db, from: Instant, to: Instant): Promise<readonly StripPage[]> {
  const rows = await db
    .selectFrom('strip_pages')
    .selectAll()
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at')
    .orderBy('writer')
    .execute();
  return rows.map(({ at, writer, body }) => ({ at: instant(at), writer, body }));
}
