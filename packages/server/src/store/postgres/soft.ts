import { type Kysely, sql } from 'kysely';
import { maxSoft } from '../facts.ts';
import { hourOf } from '../rollup.ts';
import type { Schema } from '../sql/schema.ts';
import type { SoftEntry } from '../store.ts';

/** Columns of `soft`, each with the fact that it holds. */
export const SOFT_FACTS = {
  beat_at: 'beatAt',
  pong_at: 'pongAt',
  activity_at: 'activityAt',
  tokens: 'tokens',
  cost_usd: 'costUsd',
  looked_at: 'probedAt',
  cpu_ms: 'cpuMs',
  io_bytes: 'ioBytes',
} as const satisfies Record<string, keyof SoftEntry['soft']>;

export const SOFT_NAMES = Object.keys(SOFT_FACTS) as readonly (keyof typeof SOFT_FACTS)[];

/**
 * One statement for all entries, so they are stored together or not at all. The entries are sorted: two servers that flush the
 * same agents wait for each other, and do not block each other.
 */
export async function flushSoft(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const merged = mergedOf(entries);
  const beats = beatsOf(entries);
  const wakes = wakesOf(entries);
  const columns = sql.join(SOFT_NAMES.map((name) => sql.ref(name)));
  const values = sql.join(
    SOFT_NAMES.map((name) => sql`${merged.map(({ soft }) => soft[SOFT_FACTS[name]])}::float8[]`),
  );
  const greatest = sql.join(
    SOFT_NAMES.map((name) => sql.raw(`${name} = greatest(soft.${name}, entry.${name})`)),
  );
  await sql`
    with merged as (
      update soft set ${greatest}
      from unnest(${merged.map(({ agentId }) => agentId)}::text[],
        ${merged.map(({ incarnation }) => incarnation)}::bigint[], ${values})
        as entry (agent_id, incarnation, ${columns})
      where soft.agent_id = entry.agent_id and soft.incarnation = entry.incarnation
      returning soft.agent_id, soft.incarnation
    ), postponed as (
      update due set wake_at = wake.at
      from unnest(${wakes.map(({ agentId }) => agentId)}::text[],
        ${wakes.map(({ incarnation }) => incarnation)}::bigint[],
        ${wakes.map(({ wake }) => wake.version)}::bigint[], ${wakes.map(({ wake }) => wake.at)}::float8[])
        as wake (agent_id, incarnation, version, at)
      where due.agent_id = wake.agent_id and due.incarnation = wake.incarnation and due.version = wake.version
    )
    insert into rollups (agent_id, hour, beats, nudges, escalations, terminations, recoveries,
      healthy_ms, degraded_ms, stuck_ms, failing_ms)
    select beaten.agent_id, beaten.hour, beaten.beats, 0, 0, 0, 0, 0, 0, 0, 0
    from unnest(${beats.map(({ agentId }) => agentId)}::text[],
      ${beats.map(({ incarnation }) => incarnation)}::bigint[], ${beats.map(({ hour }) => hour)}::float8[],
      ${beats.map((each) => each.beats)}::bigint[]) as beaten (agent_id, incarnation, hour, beats)
    join merged on merged.agent_id = beaten.agent_id and merged.incarnation = beaten.incarnation
    order by beaten.agent_id, beaten.hour
    on conflict (agent_id, hour) do update set beats = rollups.beats + excluded.beats`.execute(db);
}

/** One entry for each start of an agent: a statement changes a row only once. */
function mergedOf(entries: readonly SoftEntry[]): readonly SoftEntry[] {
  const merged = new Map<string, SoftEntry>();
  for (const entry of entries) {
    const key = `${entry.agentId} ${entry.incarnation}`;
    const before = merged.get(key);
    merged.set(key, before ? { ...entry, soft: maxSoft(before.soft, entry.soft) } : entry);
  }
  return sorted([...merged.values()]);
}

/** Added up by start and hour. */
function beatsOf(entries: readonly SoftEntry[]) {
  const sums = new Map<
    string,
    Pick<SoftEntry, 'agentId' | 'incarnation'> & { hour: number; beats: number }
  >();
  for (const { agentId, incarnation, soft, beats } of entries) {
    if (!beats) continue;
    const hour = hourOf(soft.beatAt);
    const key = `${agentId} ${incarnation} ${hour}`;
    const sum = sums.get(key) ?? { agentId, incarnation, hour, beats: 0 };
    sums.set(key, { ...sum, beats: sum.beats + beats });
  }
  return [...sums.values()];
}

/** Of several for one record, the last counts. */
function wakesOf(entries: readonly SoftEntry[]) {
  const wakes = new Map<string, SoftEntry & Required<Pick<SoftEntry, 'wake'>>>();
  for (const entry of entries)
    if (entry.wake)
      wakes.set(`${entry.agentId} ${entry.incarnation} ${entry.wake.version}`, {
        ...entry,
        wake: entry.wake,
      });
  return sorted([...wakes.values()]);
}

const sorted = <Entry extends SoftEntry>(entries: readonly Entry[]): readonly Entry[] =>
  [...entries].sort((a, b) => (a.agentId < b.agentId ? -1 : a.agentId > b.agentId ? 1 : 0));
