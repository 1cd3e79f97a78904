import type { Instant } from '@holter/core';
import { RECORD_VERSION } from '@holter/core';
import type { Kysely, Selectable } from 'kysely';
import { plainText } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import type { ClaimedEffect, EffectStatus, Settlement, StoredEffect } from '../store.ts';
import { parseRecord } from './json.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

/** Inside a transaction, so that two claimers never see the same effect unclaimed. */
export async function claimEffects(
  db: Db,
  ...[{ executors, at, leaseMs, limit }]: Arguments<'claimEffects'>
): Promise<readonly ClaimedEffect[]> {
  const named = executors.filter((executor) => executor !== null);
  const rows = await db
    .selectFrom('effects')
    .select(['seq', 'id', 'tries', 'correlation_id', 'body', 'record_version'])
    .where('settled_at', 'is', null)
    .where('visible_at', '<=', at)
    // What a newer server wants done is left to it.
    .where('record_version', '<=', RECORD_VERSION)
    .where(({ eb, or }) =>
      or([
        ...(named.length > 0 ? [eb('executor', 'in', named)] : []),
        ...(executors.includes(null) ? [eb('executor', 'is', null)] : []),
      ]),
    )
    .orderBy('seq')
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  await db
    .updateTable('effects')
    .set(({ eb }) => ({ status: 'claimed', tries: eb('tries', '+', 1), visible_at: at + leaseMs }))
    .where(
      'seq',
      'in',
      rows.map(({ seq }) => seq),
    )
    .execute();
  return rows.map((row) => ({
    effect: parseRecord('effect', row.body, row.record_version, `effect ${row.id}`),
    tries: row.tries + 1,
    correlationId: row.correlation_id,
  }));
}

export async function settleEffect(
  db: Db,
  effectId: string,
  { at, outcome, detail, isDead }: Settlement,
): Promise<Answer<'settleEffect'>> {
  const { numUpdatedRows } = await db
    .updateTable('effects')
    .set({ status: isDead ? 'dead' : 'done', outcome, detail: plainText(detail), settled_at: at })
    .where('id', '=', effectId)
    .where('settled_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0) return 'settled';
  const row = await db.selectFrom('effects').select('id').where('id', '=', effectId).executeTakeFirst();
  return row ? 'already-settled' : 'unknown';
}

export async function retryEffect(
  db: Db,
  effectId: string,
  retryAt: Instant,
  detail: string,
  tries: number | undefined,
): Promise<void> {
  let update = db
    .updateTable('effects')
    .set({ status: 'pending', visible_at: retryAt, detail: plainText(detail) })
    .where('id', '=', effectId)
    .where('settled_at', 'is', null);
  if (tries !== undefined) update = update.where('tries', '=', tries);
  await update.execute();
}

export async function listEffects(
  db: Db,
  ...[{ agentId, status, limit }]: Arguments<'listEffects'>
): Promise<readonly StoredEffect[]> {
  let wanted = db
    .selectFrom('effects')
    .selectAll()
    .where('record_version', '<=', RECORD_VERSION)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (agentId !== undefined) wanted = wanted.where('agent_id', '=', agentId);
  if (status !== undefined) wanted = wanted.where('status', '=', status);
  return (await wanted.execute()).map(storedOf);
}

function storedOf(row: Selectable<Schema['effects']>): StoredEffect {
  return {
    effect: parseRecord('effect', row.body, row.record_version, `effect ${row.id}`),
    tries: row.tries,
    correlationId: row.correlation_id,
    status: row.status as EffectStatus,
    createdAt: row.created_at as Instant,
    outcome: row.outcome as StoredEffect['outcome'],
    detail: row.detail,
  };
}
