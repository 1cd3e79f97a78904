import { type Instant, RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../sql/schema.ts';
import type { StoreState } from '../store.ts';

/** Holter's own transactions last milliseconds. */
const OPEN_SECONDS_MAX = 60;
const NAMED_MAX = 3;

type OpenTransaction = {
  readonly pid: number;
  readonly usename: string;
  readonly application_name: string;
  readonly minutes: number;
};

/**
 * A transaction that stays open keeps PostgreSQL from cleaning up what beats leave behind, and may hold locks. Those of
 * other users are seen only with the role `pg_read_all_stats`.
 */
export async function stateOf(db: Kysely<Schema>, openSecondsMax = OPEN_SECONDS_MAX): Promise<StoreState> {
  const { rows: open } = await sql<OpenTransaction>`
    select pid, usename, application_name,
      floor(extract(epoch from clock_timestamp() - xact_start) / 60)::int as minutes
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and xact_start < clock_timestamp() - make_interval(secs => ${openSecondsMax})
    order by xact_start limit ${NAMED_MAX}`.execute(db);
  const { rows } = await sql<{ readonly now: number }>`
    select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
  const hindrances = open.map(
    ({ pid, usename, application_name, minutes }) =>
      `A transaction of ${usename} (${application_name || 'no name'}, pid ${pid}) has been open for ${minutes} min: PostgreSQL can't clean up behind it`,
  );
  const newer = await newerRecords(db);
  return {
    now: (rows[0]?.now ?? null) as Instant | null,
    hindrances: newer === null ? hindrances : [...hindrances, newer],
  };
}

/** During an upgrade, servers of an older version leave what they can't read to the others. */
async function newerRecords(db: Kysely<Schema>): Promise<string | null> {
  const { rows } = await sql<{ readonly agents: number; readonly newest: number | null }>`
    select count(*)::int as agents, max(record_version) as newest from due
    where record_version > ${RECORD_VERSION}`.execute(db);
  const { agents = 0, newest = null } = rows[0] ?? {};
  if (agents === 0) return null;
  const what = agents === 1 ? 'The record of 1 agent is' : `The records of ${agents} agents are`;
  return `${what} of a newer version (${newest}, this server knows ${RECORD_VERSION}): newer servers look after ${agents === 1 ? 'it' : 'them'}; update this one`;
}
