import type { HealthState, Instant } from '@holter/core';
import { instant } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Arguments } from '../operations.ts';
import { addSpan, hourOf, type Tally } from '../rollup.ts';
import type { Rollup } from '../store.ts';
import type { Schema } from './schema.ts';

export const COUNTS = ['beats', 'nudges', 'escalations', 'terminations', 'recoveries'] as const;
export const STATES = [
  ['HEALTHY', 'healthy_ms'],
  ['DEGRADED', 'degraded_ms'],
  ['STUCK', 'stuck_ms'],
  ['FAILING', 'failing_ms'],
] as const;

export async function rollups(
  db: Kysely<Schema>,
  ...[{ from, to, agentId }]: Arguments<'rollups'>
): Promise<readonly Rollup[]> {
  const first = hourOf(from);
  let wanted = db.selectFrom('rollups').selectAll().where('hour', '>=', first).where('hour', '<', to);
  let standings = db
    .selectFrom('agents')
    .select(['agent_id', 'health', 'health_since'])
    .where('health_since', '<', to);
  if (agentId !== undefined) {
    wanted = wanted.where('agent_id', '=', agentId);
    standings = standings.where('agent_id', '=', agentId);
  }
  const byAgent = new Map<string, Map<Instant, Tally>>();
  const hoursOf = (id: string) => {
    const hours = byAgent.get(id) ?? new Map<Instant, Tally>();
    byAgent.set(id, hours);
    return hours;
  };
  for (const row of await wanted.execute()) hoursOf(row.agent_id).set(instant(row.hour), tallyOf(row));
  for (const row of await standings.execute()) {
    const since = instant(Math.max(row.health_since, first));
    addSpan(hoursOf(row.agent_id), { health: row.health as HealthState, since }, to);
  }
  return [...byAgent]
    .flatMap(([id, hours]) => [...hours].map(([hour, tally]) => ({ hour, agentId: id, ...tally })))
    .sort((a, b) => a.hour - b.hour || (a.agentId < b.agentId ? -1 : 1));
}

export async function stateTime(
  db: Kysely<Schema>,
  ...[{ from, to }]: Arguments<'stateTime'>
): Promise<Readonly<Record<string, number>>> {
  const first = hourOf(from);
  const columns = sql.join(
    STATES.map(([state, column]) => sql`sum(${sql.ref(column)}) as ${sql.ref(state)}`),
  );
  const { rows: booked } = await sql<Record<string, number | null>>`
    select ${columns} from rollups where hour >= ${first} and hour < ${to}`.execute(db);
  const { rows: running } = await sql<{ readonly health: string; readonly ms: number }>`
    select health, sum(${to} - case when health_since > ${first} then health_since else ${first} end) as ms
    from agents
    where health_since < ${to} and health <> 'TERMINATED' group by health`.execute(db);
  const sums: Record<string, number> = {};
  const add = (state: string, ms: number | null): void => {
    if (ms) sums[state] = (sums[state] ?? 0) + ms;
  };
  for (const [state, ms] of Object.entries(booked[0] ?? {})) add(state, ms);
  for (const { health, ms } of running) add(health, ms);
  return sums;
}

type RollupRow = { readonly [Column in (typeof COUNTS)[number] | (typeof STATES)[number][1]]: number };

function tallyOf(row: RollupRow): Tally {
  const { beats, nudges, escalations, terminations, recoveries } = row;
  const spent = STATES.filter(([, column]) => row[column] > 0);
  const stateMs = Object.fromEntries(spent.map(([state, column]) => [state, row[column]]));
  return { beats, nudges, escalations, terminations, recoveries, stateMs };
}
