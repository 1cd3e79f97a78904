import { maxSoft } from '../facts.ts';
import { hourOf } from '../rollup.ts';
import type { SoftEntry } from '../store.ts';
import type { Connections } from './connections.ts';
import { literals } from './text.ts';

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
 * One statement for all entries, so they are stored together or not at all. It is a transaction of its own, whose rows
 * are found by their keys. The entries are sorted: two servers that flush the same agents wait for each other, and do not
 * block each other.
 */
export async function flushSoft(connections: Connections, entries: readonly SoftEntry[]): Promise<void> {
  if (entries.length > 0) await connections.write([mergeSoft(entries)]);
}

function mergeSoft(entries: readonly SoftEntry[]): string {
  const merged = mergedOf(entries);
  const beats = beatsOf(entries);
  const wakes = wakesOf(entries);
  const columns = SOFT_NAMES.join(', ');
  const values = SOFT_NAMES.map((name) =>
    numbers(
      'float8',
      merged.map(({ soft }) => soft[SOFT_FACTS[name]]),
    ),
  );
  const greatest = SOFT_NAMES.map((name) => `${name} = greatest(soft.${name}, entry.${name})`);
  return `
    with merged as (
      update soft set ${greatest.join(', ')}
      from unnest(${startsOf(merged)}, ${values.join(', ')}) as entry (agent_id, incarnation, ${columns})
      where soft.agent_id = entry.agent_id and soft.incarnation = entry.incarnation
      returning soft.agent_id, soft.incarnation
    ), postponed as (
      update due set wake_at = wake.at
      from unnest(${startsOf(wakes)},
        ${numbers(
          'bigint',
          wakes.map(({ wake }) => wake.version),
        )},
        ${numbers(
          'float8',
          wakes.map(({ wake }) => wake.at),
        )}) as wake (agent_id, incarnation, version, at)
      where due.agent_id = wake.agent_id and due.incarnation = wake.incarnation and due.version = wake.version
    )
    insert into rollups (agent_id, hour, beats, nudges, escalations, terminations, recoveries,
      healthy_ms, degraded_ms, stuck_ms, failing_ms)
    select beaten.agent_id, beaten.hour, beaten.beats, 0, 0, 0, 0, 0, 0, 0, 0
    from unnest(${startsOf(beats)},
      ${numbers(
        'float8',
        beats.map(({ hour }) => hour),
      )},
      ${numbers(
        'bigint',
        beats.map((each) => each.beats),
      )}) as beaten (agent_id, incarnation, hour, beats)
    join merged on merged.agent_id = beaten.agent_id and merged.incarnation = beaten.incarnation
    order by beaten.agent_id, beaten.hour
    on conflict (agent_id, hour) do update set beats = rollups.beats + excluded.beats`;
}

/** The first two columns of each part: the agents, and which start of each. */
function startsOf(rows: readonly Pick<SoftEntry, 'agentId' | 'incarnation'>[]): string {
  const incarnations = numbers(
    'bigint',
    rows.map(({ incarnation }) => incarnation),
  );
  return `array[${literals(rows.map(({ agentId }) => agentId))}]::text[], ${incarnations}`;
}

const numbers = (type: 'bigint' | 'float8', values: readonly number[]): string =>
  `'{${values.join(',')}}'::${type}[]`;

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
