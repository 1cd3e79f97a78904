import type { Agent, Hard, Instant } from '@holter/core';
import { emptyFleetGuard, NEVER, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import { lowerAscii } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import type { AgentQuery, DueAgent, Page, StoredAgent, StoredFleet } from '../store.ts';
import { parseRecord } from './json.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

const SOFT_COLUMNS = [
  'soft.beat_at',
  'soft.pong_at',
  'soft.activity_at',
  'soft.tokens',
  'soft.cost_usd',
  'soft.looked_at',
  'soft.cpu_ms',
  'soft.io_bytes',
] as const;

const withSoft = (db: Db) =>
  db
    .selectFrom('agents')
    .innerJoin('soft', 'soft.agent_id', 'agents.agent_id')
    .select(['agents.agent_id', 'agents.version', 'agents.hard', 'agents.record_version', ...SOFT_COLUMNS]);

type AgentRow = Awaited<ReturnType<ReturnType<typeof withSoft>['execute']>>[number];
type SoftRow = Omit<AgentRow, 'agent_id' | 'version' | 'hard' | 'record_version'>;

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

export async function loadFleet(db: Db): Promise<StoredFleet> {
  const row = await db.selectFrom('fleet').selectAll().executeTakeFirst();
  if (!row) return { fleet: emptyFleetGuard, version: 0 };
  const fleet = parseRecord('fleet', row.state, row.record_version, 'the state of the fleet');
  return { fleet, version: row.version };
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
  return rows.map((row) => ({
    agentId: row.agent_id,
    version: row.version,
    incarnation: row.incarnation,
    soft: softOf(row),
  }));
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

export async function listAgents(db: Db, query: AgentQuery): Promise<Page<StoredAgent>> {
  const { health, group, text, hasIncident, cursor, limit } = query;
  let wanted = withSoft(db)
    .where('agents.record_version', '<=', RECORD_VERSION)
    .orderBy('agents.agent_id')
    .limit(limit + 1);
  if (cursor !== undefined) wanted = wanted.where('agents.agent_id', '>', cursor);
  if (health !== undefined) wanted = wanted.where('agents.health', '=', health);
  if (group !== undefined) wanted = wanted.where('agents.group_name', '=', group);
  if (hasIncident !== undefined) wanted = wanted.where('agents.has_incident', '=', hasIncident ? 1 : 0);
  if (text !== undefined) {
    const part = lowerAscii(text);
    wanted = wanted.where(({ or }) =>
      or([
        sql<boolean>`instr(lower(agents.agent_id), ${part}) > 0`,
        sql<boolean>`instr(lower(agents.role), ${part}) > 0`,
        sql<boolean>`instr(lower(agents.group_name), ${part}) > 0`,
      ]),
    );
  }
  const rows = await wanted.execute();
  const items = rows.slice(0, limit).map(storedOf);
  const last = items.at(-1)?.agent.hard.agentId;
  return { items, nextCursor: rows.length > limit && last !== undefined ? last : null };
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

export async function countByHealth(db: Db): Promise<Answer<'countByHealth'>> {
  const rows = await db
    .selectFrom('agents')
    .select(({ fn }) => ['health', fn.countAll<number>().as('size')])
    .groupBy('health')
    .execute();
  return Object.fromEntries(rows.map(({ health, size }) => [health, size]));
}

export async function listFinalStates(db: Db, agentId: string, limit: number): Promise<readonly Hard[]> {
  const rows = await db
    .selectFrom('final_states')
    .select(['hard', 'record_version'])
    .where('agent_id', '=', agentId)
    .where('record_version', '<=', RECORD_VERSION)
    .orderBy('incarnation', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ hard, record_version }) =>
    parseRecord('agent', hard, record_version, `a final state of ${agentId}`),
  );
}

function storedOf(row: AgentRow): StoredAgent {
  const hard = parseRecord('agent', row.hard, row.record_version, `agent ${row.agent_id}`);
  return { agent: { soft: softOf(row), hard }, version: row.version };
}

function softOf(row: SoftRow): Agent['soft'] {
  return {
    beatAt: row.beat_at as Instant,
    pongAt: row.pong_at as Instant,
    activityAt: row.activity_at as Instant,
    tokens: row.tokens,
    costUsd: row.cost_usd,
    probedAt: row.looked_at as Instant,
    cpuMs: row.cpu_ms,
    ioBytes: row.io_bytes,
  };
}
