import type { Instant } from '@holter/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { CheckpointHead, MetaEntry, StoredCheckpoint, StoredToken, TokenRole } from '../store.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

export async function putCheckpoint(db: Db, checkpoint: StoredCheckpoint): Promise<'stored' | 'exists'> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('checkpoints')
    .values({
      agent_id: checkpoint.agentId,
      checkpoint_id: checkpoint.checkpointId,
      parent_id: checkpoint.parentId,
      task_id: checkpoint.taskId,
      incarnation: checkpoint.incarnation,
      at: checkpoint.at,
      hash: checkpoint.hash,
      content: checkpoint.content,
    })
    .onConflict((conflict) => conflict.columns(['agent_id', 'checkpoint_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows ? 'stored' : 'exists';
}

export async function listCheckpoints(
  db: Db,
  agentId: string,
  limit: number,
): Promise<readonly CheckpointHead[]> {
  const rows = await db
    .selectFrom('checkpoints')
    .select(HEAD_COLUMNS)
    // Known from the row's header: the content is not read.
    .select(sql<number>`octet_length(content)`.as('bytes'))
    .where('agent_id', '=', agentId)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...headOf(row), bytes: row.bytes }));
}

export async function readCheckpoint(
  db: Db,
  agentId: string,
  checkpointId: string,
): Promise<StoredCheckpoint | null> {
  const row = await db
    .selectFrom('checkpoints')
    .select([...HEAD_COLUMNS, 'content'])
    .where('agent_id', '=', agentId)
    .where('checkpoint_id', '=', checkpointId)
    .executeTakeFirst();
  return row ? { ...headOf(row), content: row.content } : null;
}

export async function deleteCheckpoints(
  db: Db,
  agentId: string,
  checkpointIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('checkpoints')
    .where('agent_id', '=', agentId)
    .where('checkpoint_id', 'in', checkpointIds)
    .execute();
}

const HEAD_COLUMNS = [
  'agent_id',
  'checkpoint_id',
  'parent_id',
  'task_id',
  'incarnation',
  'at',
  'hash',
] as const satisfies readonly (keyof Schema['checkpoints'])[];

const headOf = (
  row: Pick<Selectable<Schema['checkpoints']>, (typeof HEAD_COLUMNS)[number]>,
): Omit<StoredCheckpoint, 'content'> => ({
  agentId: row.agent_id,
  checkpointId: row.checkpoint_id,
  parentId: row.parent_id,
  taskId: row.task_id,
  incarnation: row.incarnation,
  at: row.at as Instant,
  hash: row.hash,
});

export async function findToken(db: Db, hash: string): Promise<StoredToken | null> {
  const row = await db.selectFrom('tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
  return row ? tokenOf(row) : null;
}

export async function listTokens(db: Db): Promise<readonly StoredToken[]> {
  return (await db.selectFrom('tokens').selectAll().orderBy('id').execute()).map(tokenOf);
}

export async function revokeToken(db: Db, id: string, at: Instant): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0;
}

export async function getMeta(db: Db, key: string): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

export async function putMeta(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** One statement each, so that the value can't change between the comparison and the write. */
export async function swapMeta(
  db: Db,
  key: string,
  expected: string | null,
  value: string | null,
): Promise<boolean> {
  if (expected === null && value === null) return (await getMeta(db, key)) === null;
  if (expected === null) {
    const insert = db.insertInto('meta').values({ key, value: value ?? '' });
    const { numInsertedOrUpdatedRows } = await insert
      .onConflict((conflict) => conflict.column('key').doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  if (value === null) {
    const deletion = db.deleteFrom('meta').where('key', '=', key).where('value', '=', expected);
    return (await deletion.executeTakeFirstOrThrow()).numDeletedRows > 0n;
  }
  const update = db.updateTable('meta').set({ value }).where('key', '=', key).where('value', '=', expected);
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
}

export async function listMeta(db: Db, prefix: string): Promise<readonly MetaEntry[]> {
  return db
    .selectFrom('meta')
    .selectAll()
    .where('key', '>=', prefix)
    .where(sql<boolean>`substr(key, 1, length(${prefix})) = ${prefix}`)
    .orderBy('key')
    .execute();
}

function tokenOf(row: Selectable<Schema['tokens']>): StoredToken {
  return {
    id: row.id,
    hash: row.hash,
    role: row.role as TokenRole,
    agentId: row.agent_id,
    group: row.group_name,
    createdAt: row.created_at as Instant,
    revokedAt: row.revoked_at as Instant | null,
  };
}
