import type { Agent } from '@holter/core';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { emptyTally, hourOf } from '../rollup.ts';
import type { Schema } from '../sql/schema.ts';
import type { SoftEntry } from '../store.ts';
import { prepared } from './prepared.ts';
import { type AgentTallies, addRollups } from './rollups.ts';

const COLUMNS = [
  'beat_at',
  'pong_at',
  'activity_at',
  'tokens',
  'cost_usd',
  'looked_at',
  'cpu_ms',
  'io_bytes',
] as const;

const merge = sql.join(
  COLUMNS.map((column) => {
    const name = sql.ref(column);
    const [old, fresh] = [sql.ref(`soft.${column}`), sql.ref(`excluded.${column}`)];
    // A new incarnation does not inherit soft facts.
    return sql`${name} = case when soft.incarnation = excluded.incarnation then max(${old}, ${fresh}) else ${fresh} end`;
  }),
);

const names = sql.join(['agent_id', 'incarnation', ...COLUMNS].map((column) => sql.ref(column)));
const values = sql.join([0, 1, ...COLUMNS.keys()].map((_, index) => sql`entry.value ->> ${sql.lit(index)}`));

type SoftRow = Schema['soft'];

const mergeOne = prepared<SoftRow>((db, place) => {
  const places = sql.join(
    (['agent_id', 'incarnation', ...COLUMNS] as const).map((column) => sql`${place(column)}`),
  );
  return compilable(
    db,
    sql`insert into soft (${names}) values (${places})
      on conflict (agent_id) do update set incarnation = excluded.incarnation, ${merge}`,
  );
});

const compilable = (db: Kysely<Schema>, query: RawBuilder<unknown>) => ({ compile: () => query.compile(db) });

/** As part of a commit, which has already set the incarnation. */
export async function mergeSoftOf(
  db: Kysely<Schema>,
  agentId: string,
  incarnation: number,
  soft: Agent['soft'],
): Promise<void> {
  await mergeOne(db, {
    agent_id: agentId,
    incarnation,
    beat_at: soft.beatAt,
    pong_at: soft.pongAt,
    activity_at: soft.activityAt,
    tokens: soft.tokens,
    cost_usd: soft.costUsd,
    looked_at: soft.probedAt,
    cpu_ms: soft.cpuMs,
    io_bytes: soft.ioBytes,
  });
}

/** One statement for all entries, passed as one JSON array. */
export async function mergeSoft(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  const rows = entries.map(({ agentId, incarnation, soft: s }) => [
    agentId,
    incarnation,
    s.beatAt,
    s.pongAt,
    s.activityAt,
    s.tokens,
    s.costUsd,
    s.probedAt,
    s.cpuMs,
    s.ioBytes,
  ]);
  await sql`
    insert into soft (${names})
    select ${values} from json_each(${JSON.stringify(rows)}) as entry
    join agents on agents.agent_id = entry.value ->> 0 and agents.incarnation = entry.value ->> 1
    where true
    on conflict (agent_id) do update set incarnation = excluded.incarnation, ${merge}`.execute(db);
}

/** Beats of an incarnation other than the stored one are not counted. */
export async function addBeats(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  const beaten = entries.filter(({ beats }) => beats);
  if (beaten.length === 0) return;
  const rows = beaten.map(({ agentId, incarnation }) => [agentId, incarnation]);
  const { rows: current } = await sql<{ readonly position: number }>`
    select entry.key as position from json_each(${JSON.stringify(rows)}) as entry
    join agents on agents.agent_id = entry.value ->> 0 and agents.incarnation = entry.value ->> 1`.execute(
    db,
  );
  const counted = current.flatMap(({ position }): AgentTallies[] => {
    const entry = beaten[position];
    if (!entry?.beats) return [];
    const tally = { ...emptyTally(), beats: entry.beats };
    return [[entry.agentId, new Map([[hourOf(entry.soft.beatAt), tally]])]];
  });
  await addRollups(db, counted);
}

/** Also one statement, which has no order between two entries for one record: only the last is passed. */
export async function postpone(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  const rows = new Map<string, readonly [string, number, number, number]>();
  for (const { agentId, incarnation, wake } of entries)
    if (wake)
      rows.set(`${agentId} ${incarnation} ${wake.version}`, [agentId, incarnation, wake.version, wake.at]);
  if (rows.size === 0) return;
  await sql`
    update agents set wake_at = entry.value ->> 3, hard = json_set(hard, '$.wakeAt', entry.value ->> 3)
    from json_each(${JSON.stringify([...rows.values()])}) as entry
    where agents.agent_id = entry.value ->> 0 and agents.incarnation = entry.value ->> 1
      and agents.version = entry.value ->> 2`.execute(db);
}
