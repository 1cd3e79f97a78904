import type { Agent, Hard, Instant } from '@holter/core';
import { emptyFleetGuard, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import { lowerAscii } from '../facts.ts';
import type { Answer } from '../operations.ts';
import type { AgentQuery, DueAgent, Page, StoredAgent, StoredFleet } from '../store.ts';
import { parseRecord } from './json.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

export const SOFT_COLUMNS = [
  'soft.beat_at',
  'soft.pong_at',
  'soft.activity_at',
  'soft.tokens',
  'soft.cost_usd',
  'soft.looked_at',
  'soft.cpu_ms',
  'soft.io_bytes',
] as const;

export const withSoft = (db: Db) =>
  db
    .selectFrom('agents')
    .innerJoin('soft', 'soft.agent_id', 'agents.agent_id')
    .select(['agents.agent_id', 'agents.version', 'agents.hard', 'agents.record_version', ...SOFT_COLUMNS]);

type AgentsWithSoft = ReturnType<typeof withSoft>;
export type AgentRow = Awaited<ReturnType<AgentsWithSoft['execute']>>[number] & {
  /** Where it is stored beside the record, and changes without it. */
  readonly wake_at?: number;
};
type SoftRow = Omit<AgentRow, 'agent_id' | 'version' | 'hard' | 'record_version' | 'wake_at'>;

/** What is also in the record, and is searched by. */
export const columnsOf = (hard: Hard, version: number, json: string) => ({
  agent_id: hard.agentId,
  version,
  incarnation: hard.incarnation,
  role: hard.role,
  group_name: hard.group,
  health: hard.health,
  health_since: hard.healthSince,
  has_ended: hard.end ? 1 : 0,
  has_incident: hard.incident ? 1 : 0,
  updated_at: hard.at,
  hard: json,
});

type DueRow = Pick<AgentRow, 'agent_id' | 'version'> & SoftRow & { readonly incarnation: number };

export const dueOf = (row: DueRow): DueAgent => ({
  agentId: row.agent_id,
  version: row.version,
  incarnation: row.incarnation,
  soft: softOf(row),
});

export async function listAgents(all: AgentsWithSoft, query: AgentQuery): Promise<Page<StoredAgent>> {
  const { health, group, text, hasIncident, cursor, limit } = query;
  let wanted = all
    .where('agents.record_version', '<=', RECORD_VERSION)
    .orderBy('agents.agent_id')
    .limit(limit + 1);
  if (cursor !== undefined) wanted = wanted.where('agents.agent_id', '>', cursor);
  if (health !== undefined) wanted = wanted.where('agents.health', '=', health);
  if (group !== undefined) wanted = wanted.where('agents.group_name', '=', group);
  if (hasIncident !== undefined) wanted = wanted.where('agents.has_incident', '=', hasIncident ? 1 : 0);
  if (text !== undefined) {
    const pattern = `%${lowerAscii(text).replace(/[\\%_]/g, '\\$&')}%`;
    const columns = ['agents.agent_id', 'agents.role', 'agents.group_name'] as const;
    wanted = wanted.where(({ or }) =>
      or(columns.map((column) => sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`)),
    );
  }
  const rows = await wanted.execute();
  const items = rows.slice(0, limit).map(storedOf);
  const last = items.at(-1)?.agent.hard.agentId;
  return { items, nextCursor: rows.length > limit && last !== undefined ? last : null };
}

export async function loadFleet(db: Db): Promise<StoredFleet> {
  const row = await db.selectFrom('fleet').selectAll().executeTakeFirst();
  if (!row) return { fleet: emptyFleetGuard, version: 0 };
  const fleet = parseRecord('fleet', row.state, row.record_version, 'the state of the fleet');
  return { fleet, version: row.version };
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

export function storedOf(row: AgentRow): StoredAgent {
  const record = parseRecord('agent', row.hard, row.record_version, `agent ${row.agent_id}`);
  const hard = row.wake_at === undefined ? record : { ...record, wakeAt: row.wake_at as Instant };
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
