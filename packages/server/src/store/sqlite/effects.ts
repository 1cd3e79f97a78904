import { RECORD_VERSION } from '@holter/core';
import type { Kysely } from 'kysely';
import { plainText } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import { parseRecord } from '../sql/json.ts';
import type { Schema } from '../sql/schema.ts';
import type { ClaimedEffect, EffectOffer, Settlement } from '../store.ts';
import { prepared } from './prepared.ts';

type Db = Kysely<Schema>;

/** Call inside a transaction, so that two claimers never see the same effect unclaimed. */
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
    // Effects written by a newer Holter are left to it.
    .where('record_version', '<=', RECORD_VERSION)
    .where(({ eb, or }) =>
      or([
        ...(named.length > 0 ? [eb('executor', 'in', named)] : []),
        ...(executors.includes(null) ? [eb('executor', 'is', null)] : []),
      ]),
    )
    .orderBy('urgency')
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
  if (numUpdatedRows > 0) {
    await noteChange(db, { effect_id: effectId, what: 'settled', at });
    return 'settled';
  }
  const row = await db.selectFrom('effects').select('id').where('id', '=', effectId).executeTakeFirst();
  return row ? 'already-settled' : 'unknown';
}

export async function offerEffect(
  db: Db,
  effectId: string,
  { at, againAt, detail, tries }: EffectOffer,
): Promise<void> {
  let found = db
    .selectFrom('effects')
    .select('is_offered')
    .where('id', '=', effectId)
    .where('settled_at', 'is', null);
  if (tries !== undefined) found = found.where('tries', '=', tries);
  const row = await found.executeTakeFirst();
  if (!row) return;
  await db
    .updateTable('effects')
    .set({ status: 'pending', visible_at: againAt, detail: plainText(detail), is_offered: 1 })
    .where('id', '=', effectId)
    .execute();
  if (!row.is_offered) await noteChange(db, { effect_id: effectId, what: 'offered', at });
}

/** Call in the transaction that makes the change: it holds the write lock, so cursors are in commit order. */
export const noteChange = prepared<Omit<Schema['effect_changes'], 'cursor'>>((db, place) =>
  db
    .insertInto('effect_changes')
    .values({ effect_id: place('effect_id'), what: place('what'), at: place('at') }),
);
