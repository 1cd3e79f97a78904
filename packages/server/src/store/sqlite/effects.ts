import type { Instant } from '@holter/core';
import { RECORD_VERSION } from '@holter/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { OUT_OF_DATE, OVER, plainText } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import type {
  ClaimedEffect,
  EffectChange,
  EffectOffer,
  EffectStatus,
  Settlement,
  StoredEffect,
} from '../store.ts';
import { parseRecord } from './json.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

/** Call inside a transaction, so that two claimers never see the same effect unclaimed. */
export async function claimEffects(
  db: Db,
  ...[{ executors, at, leaseMs, limit }]: Arguments<'claimEffects'>
): Promise<readonly ClaimedEffect[]> {
  const outOfDate = cancelled(db, at, OUT_OF_DATE).where('until', 'is not', null).where('until', '<=', at);
  await noteCancelled(db, await outOfDate.execute(), at);
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

export async function renewEffects(db: Db, ...[claims, until]: Arguments<'renewEffects'>): Promise<void> {
  for (const { effectId, tries } of claims)
    await db
      .updateTable('effects')
      .set({ visible_at: until })
      .where('id', '=', effectId)
      .where('tries', '=', tries)
      .where('status', '=', 'claimed')
      .execute();
}

/** Claimed effects are left to their executor: its next claim cancels them, or its receipt settles them. */
export async function cancelEffects(db: Db, lives: readonly string[], at: Instant): Promise<void> {
  const over = cancelled(db, at, OVER).where('lives_by', 'in', lives).where('status', '=', 'pending');
  await noteCancelled(db, await over.execute(), at);
}

const cancelled = (db: Db, at: Instant, detail: string) =>
  db
    .updateTable('effects')
    .set({ status: 'done', outcome: 'cancelled', detail, settled_at: at })
    .where('settled_at', 'is', null)
    .returning('id');

async function noteCancelled(db: Db, rows: readonly { readonly id: string }[], at: Instant): Promise<void> {
  for (const { id } of rows) await noteChange(db, { effect_id: id, what: 'settled', at });
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

export async function readEffectChanges(
  db: Db,
  ...[{ after, limit }]: Arguments<'readEffectChanges'>
): Promise<readonly EffectChange[]> {
  const rows = await db
    .selectFrom('effect_changes')
    .innerJoin('effects', 'effects.id', 'effect_changes.effect_id')
    .selectAll('effects')
    .select(['effect_changes.cursor', 'effect_changes.what'])
    .where('effect_changes.cursor', '>', after)
    .where('effects.record_version', '<=', RECORD_VERSION)
    .orderBy('effect_changes.cursor')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    cursor: row.cursor,
    what: row.what as EffectChange['what'],
    stored: storedOf(row),
  }));
}

/** The last cursor assigned, as with events. */
export async function lastEffectChange(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly seq: number }>`
    select seq from sqlite_sequence where name = 'effect_changes'`.execute(db);
  return rows[0]?.seq ?? 0;
}

export async function listEffects(
  db: Db,
  ...[{ agentId, status, isOffered, isOpen, limit }]: Arguments<'listEffects'>
): Promise<readonly StoredEffect[]> {
  let wanted = db
    .selectFrom('effects')
    .selectAll()
    .where('record_version', '<=', RECORD_VERSION)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (agentId !== undefined) wanted = wanted.where('agent_id', '=', agentId);
  if (status !== undefined) wanted = wanted.where('status', '=', status);
  if (isOffered) wanted = wanted.where(sql<boolean>`is_offered = 1 and settled_at is null`);
  if (isOpen) wanted = wanted.where('settled_at', 'is', null);
  return (await wanted.execute()).map(storedOf);
}

export async function readEffect(db: Db, effectId: string): Promise<StoredEffect | null> {
  const row = await db
    .selectFrom('effects')
    .selectAll()
    .where('id', '=', effectId)
    .where('record_version', '<=', RECORD_VERSION)
    .executeTakeFirst();
  return row ? storedOf(row) : null;
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
    isOffered: row.is_offered === 1,
  };
}
