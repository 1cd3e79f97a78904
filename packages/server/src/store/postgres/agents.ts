import type { Instant } from '@holter/core';
import { NEVER, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Answer, Arguments } from '../operations.ts';
import { dueOf, SOFT_COLUMNS, storedOf, withSoft } from '../sql/agents.ts';
import type { Schema } from '../sql/schema.ts';
import type { DueAgent, StoredAgent } from '../store.ts';
import { lastOf } from './log.ts';

type Db = Kysely<Schema>;

/** The time of the next check is in a table of its own. */
export const withDue = (db: Db): ReturnType<typeof withSoft> =>
  withSoft(db)
    .innerJoin('due', 'due.agent_id', 'agents.agent_id')
    .select('due.wake_at') as unknown as ReturnType<typeof withSoft>;

export async function load(db: Db, agentId: string): Promise<StoredAgent | null> {
  const row = await withDue(db).where('agents.agent_id', '=', agentId).executeTakeFirst();
  return row ? storedOf(row) : null;
}

export async function loadMany(db: Db, agentIds: readonly string[]): Promise<readonly StoredAgent[]> {
  const rows = await withDue(db)
    .where(sql<boolean>`agents.agent_id = any(${agentIds}::text[])`)
    .where('agents.record_version', '<=', RECORD_VERSION)
    .execute();
  return rows.map(storedOf);
}

/** A row that another server is claiming or changing is left to it. */
export async function claimDue(
  db: Db,
  ...[{ at, leaseMs, limit }]: Arguments<'claimDue'>
): Promise<readonly DueAgent[]> {
  const due = sql`
    select agent_id from due
    where wake_at <= ${at} and wake_at < ${NEVER}
      and (claimed_wake_at is distinct from wake_at or claimed_until <= ${at})
      and record_version <= ${RECORD_VERSION}
    order by wake_at, agent_id limit ${limit}`;
  const claimed = sql`
    update due set claimed_wake_at = wake_at, claimed_until = ${at + leaseMs}
    where agent_id in (${due} for update skip locked) returning *`;
  const { rows } = await sql<DueRow>`
    with chosen as (${leaseMs > 0 ? claimed : sql`select * from due where agent_id in (${due})`})
    select chosen.agent_id, chosen.version, chosen.incarnation,
      ${sql.join(SOFT_COLUMNS.map((column) => sql.ref(column)))}
    from chosen join soft on soft.agent_id = chosen.agent_id
    order by chosen.wake_at, chosen.agent_id`.execute(db);
  return rows.map(dueOf);
}

type DueRow = Parameters<typeof dueOf>[0];

export async function nextWakeAt(db: Db): Promise<Instant | null> {
  const row = await db
    .selectFrom('due')
    .select('wake_at')
    .where('wake_at', '<', NEVER)
    .orderBy('wake_at')
    .limit(1)
    .executeTakeFirst();
  return (row?.wake_at ?? null) as Instant | null;
}

/** One statement sees one moment: all commits up to the cursor, and none after it. */
export async function groupSize(db: Db, group: string): Promise<Answer<'groupSize'>> {
  return await db
    .selectFrom('agents')
    .select(({ fn }) => [fn.countAll<number>().as('size'), lastOf('events').as('cursor')])
    .where('group_name', '=', group)
    .where('has_ended', '=', 0)
    .executeTakeFirstOrThrow();
}
