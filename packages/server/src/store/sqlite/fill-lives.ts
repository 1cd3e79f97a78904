import { EFFECT_URGENCY, type Hard, openLives } from '@holter/core';
import type { Kysely } from 'kysely';
import { OVER } from '../facts.ts';
import { parseRecord } from '../sql/json.ts';
import type { Schema } from '../sql/schema.ts';

/**
 * In version 1, effects did not end with their incident or incarnation. This fills in the columns of open effects
 * and cancels those whose incident or incarnation has ended.
 */
export async function fillLives(db: Kysely<Schema>): Promise<void> {
  const rows = await db
    .selectFrom('effects')
    .select(['seq', 'id', 'agent_id', 'body', 'record_version', 'created_at'])
    .where('settled_at', 'is', null)
    .execute();
  for (const row of rows) {
    const effect = parseRecord('effect', row.body, row.record_version, `effect ${row.id}`);
    const hard = await hardOf(db, row.agent_id);
    const isOver = hard !== null && !openLives(hard).includes(effect.livesBy);
    await db
      .updateTable('effects')
      .set({
        lives_by: effect.livesBy,
        until: effect.until ?? null,
        urgency: EFFECT_URGENCY[effect.kind],
        ...(isOver && {
          status: 'done',
          outcome: 'cancelled',
          detail: OVER.because,
          settled_at: row.created_at,
        }),
      })
      .where('seq', '=', row.seq)
      .execute();
  }
}

async function hardOf(db: Kysely<Schema>, agentId: string): Promise<Hard | null> {
  const row = await db
    .selectFrom('agents')
    .select(['hard', 'record_version'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  return row ? parseRecord('agent', row.hard, row.record_version, `agent ${agentId}`) : null;
}
