import type { Instant } from '@holter/core';
import { RECORD_VERSION } from '@holter/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { plainText } from '../facts.ts';
import type { Arguments } from '../operations.ts';
import type { EffectChange, EffectStatus, StoredEffect } from '../store.ts';
import { parseRecord } from './json.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

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
