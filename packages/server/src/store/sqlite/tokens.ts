import { type Kysely, sql } from 'kysely';
import { startTokenPrefix } from '../facts.ts';
import type { Schema } from '../sql/schema.ts';
import type { StoredToken } from '../store.ts';

export async function putToken(db: Kysely<Schema>, token: StoredToken, newestMax?: number): Promise<void> {
  const row = {
    hash: token.hash,
    role: token.role,
    agent_id: token.agentId,
    group_name: token.group,
    created_at: token.createdAt,
    revoked_at: token.revokedAt,
  };
  await db
    .insertInto('tokens')
    .values({ id: token.id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  if (newestMax === undefined || token.agentId === null) return;
  const prefix = startTokenPrefix(token.agentId);
  const ofStarts = db
    .selectFrom('tokens')
    .select('id')
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}\u{10ffff}`);
  // In the order of their making, if they were made in the same millisecond.
  const newest = ofStarts.orderBy('created_at', 'desc').orderBy(sql.ref('rowid'), 'desc').limit(newestMax);
  await db.deleteFrom('tokens').where('id', 'in', ofStarts).where('id', 'not in', newest).execute();
}
