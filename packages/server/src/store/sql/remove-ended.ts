import type { Instant } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Where a database keeps what is due of an agent, beside its record. */
export type DueTable = 'due' | 'due_claims';

/** These agents, or those whose last change was before this moment, the oldest first. */
type Wanted = { readonly agentIds: readonly string[] } | { readonly before: Instant; readonly limit: number };

/**
 * Removes agents that have ended, with everything that belongs to their record. One that has an open incident, an
 * effect that is not settled or a ping key stays. Returns how many were removed.
 */
export async function removeEnded(db: Kysely<Schema>, wanted: Wanted, due: DueTable): Promise<number> {
  const ended = db
    .selectFrom('agents')
    .select('agent_id')
    .where('health', '=', 'TERMINATED')
    .where('has_ended', '=', 1)
    .where('has_incident', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('effects')
            .select('seq')
            .whereRef('effects.agent_id', '=', 'agents.agent_id')
            .where('settled_at', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('tokens')
            .select('id')
            .whereRef('tokens.agent_id', '=', 'agents.agent_id')
            .where('id', 'like', 'ping:%')
            .where('revoked_at', 'is', null),
        ),
      ),
    );
  const found =
    'agentIds' in wanted
      ? ended.where('agent_id', 'in', wanted.agentIds)
      : ended
          .where('updated_at', '<', wanted.before)
          .orderBy('updated_at')
          .orderBy('agent_id')
          .limit(wanted.limit);
  const ids = (await found.execute()).map(({ agent_id }) => agent_id);
  if (ids.length === 0) return 0;
  for (const table of ['soft', due, 'final_states', 'checkpoints', 'effects'] as const)
    await db.deleteFrom(table).where('agent_id', 'in', ids).execute();
  // A successor would begin with start 1 again: tokens of earlier starts must not be valid for it.
  await db
    .deleteFrom('tokens')
    .where('agent_id', 'in', ids)
    .where(sql<boolean>`substr(id, 1, length(agent_id) + 1) = agent_id || '#'`)
    .execute();
  await db.deleteFrom('agents').where('agent_id', 'in', ids).execute();
  return ids.length;
}
