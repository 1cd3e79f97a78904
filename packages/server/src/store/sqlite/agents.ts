import type { Instant } from '@holter/core';
import { NEVER, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Answer, Arguments } from '../operations.ts';
import { type AgentRow, dueOf, SOFT_COLUMNS, storedOf, withSoft } from '../sql/agents.ts';
import type { Schema } from '../sql/schema.ts';
import type { DueAgent, StoredAgent } from '../store.ts';
import { prepared } from './prepared.ts';

type Db = Kysely<Schema>;

export async function load(db: Db, agentId: string): Promise<StoredAgent | null> {
  const {
    rows: [row],
  } = await findAgent(db, { agent_id: agentId });
  return row ? storedOf(row) : null;
}

const findAgent = prepared<{ readonly agent_id: string }, AgentRow>((db, place) =>
  withSoft(db).where('agents.agent_id', '=', place('agent_id')),
);

export async function loadMany(db: Db, agentIds: readonly string[]): Promise<readonly StoredAgent[]> {
  const wanted = sql<string>`(select value from json_each(${JSON.stringify(agentIds)}))`;
  const rows = await withSoft(db)
    .where('agents.agent_id', 'in', wanted)
    .where('agents.record_version', '<=', RECORD_VERSION)
    .execute();
  return rows.map(storedOf);
}

/** Call inside a transaction if there is a lease. A claim holds for one `wakeAt`: setting another ends it. */
export async function claimDue(
  db: Db,
  ...[{ at, leaseMs, limit }]: Arguments<'claimDue'>
): Promise<readonly DueAgent[]> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('soft', 'soft.agent_id', 'agents.agent_id')
    .leftJoin('due_claims', (join) =>
      join
        .onRef('due_claims.agent_id', '=', 'agents.agent_id')
        .onRef('due_claims.wake_at', '=', 'agents.wake_at')
        .on('due_claims.until', '>', at),
    )
    .select(['agents.agent_id', 'agents.version', 'agents.incarnation', 'agents.wake_at', ...SOFT_COLUMNS])
    .where('agents.wake_at', '<=', at)
    .where('agents.wake_at', '<', NEVER)
    // Agents written by a newer Holter are left to it.
    .where('agents.record_version', '<=', RECORD_VERSION)
    .where('due_claims.agent_id', 'is', null)
    .orderBy('agents.wake_at')
    .orderBy('agents.agent_id')
    .limit(limit)
    .execute();
  if (leaseMs > 0 && rows.length > 0) {
    const claims = JSON.stringify(rows.map(({ agent_id, wake_at }) => [agent_id, wake_at]));
    await sql`
      insert into due_claims (agent_id, wake_at, until)
      select entry.value ->> 0, entry.value ->> 1, ${at + leaseMs} from json_each(${claims}) as entry where true
      on conflict (agent_id) do update set wake_at = excluded.wake_at, until = excluded.until`.execute(db);
  }
  return rows.map(dueOf);
}

export async function nextWakeAt(db: Db): Promise<Instant | null> {
  const row = await db
    .selectFrom('agents')
    .select('wake_at')
    .where('wake_at', '<', NEVER)
    .orderBy('wake_at')
    .limit(1)
    .executeTakeFirst();
  return (row?.wake_at ?? null) as Instant | null;
}

export async function groupSize(db: Db, group: string): Promise<Answer<'groupSize'>> {
  return await db
    .selectFrom('agents')
    .select(({ fn }) => [
      fn.countAll<number>().as('size'),
      sql<number>`coalesce((select seq from sqlite_sequence where name = 'events'), 0)`.as('cursor'),
    ])
    .where('group_name', '=', group)
    .where('has_ended', '=', 0)
    .executeTakeFirstOrThrow();
}
