import { type Kysely, sql } from 'kysely';
import type Database from 'libsql';
import type { Schema } from '../sql/schema.ts';
import { StoreUnavailable } from '../store.ts';
import { fillLives } from './fill-lives.ts';
import { inTransaction } from './transaction.ts';

type Migration = {
  readonly name: string;
  readonly statements: readonly string[];
  /** The record version written from this migration on; 1 before the first that sets it. */
  readonly records?: number;
  /** Fills in from existing records what SQL statements alone can't. */
  readonly fill?: (db: Kysely<Schema>) => Promise<void>;
};

/**
 * Append only: a database's version is the number of migrations applied. A new record version is a migration too,
 * even without statements, so that an older Holter refuses the folder and a newer one copies it first.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'first tables',
    statements: [
      `create table agents (
        agent_id text primary key, version integer not null, incarnation integer not null,
        role text not null, group_name text not null, health text not null, health_since integer not null,
        has_ended integer not null, has_incident integer not null, wake_at integer not null,
        updated_at integer not null, hard text not null)`,
      'create index agents_wake on agents (wake_at, agent_id)',
      'create index agents_group on agents (group_name, has_ended)',
      'create index agents_health on agents (health)',
      'create index agents_incident on agents (agent_id) where has_incident = 1',
      `create table soft (
        agent_id text primary key, incarnation integer not null, beat_at integer not null,
        pong_at integer not null, activity_at integer not null, tokens real not null, cost_usd real not null,
        looked_at integer not null, cpu_ms real not null, io_bytes real not null) without rowid`,
      'create table fleet (id integer primary key check (id = 1), version integer not null, state text not null)',
      `create table events (
        cursor integer primary key autoincrement, at integer not null, agent_id text not null,
        type text not null, incident_id text, correlation_id text not null, body text not null)`,
      'create index events_agent on events (agent_id, cursor)',
      'create index events_type on events (type, cursor)',
      'create index events_incident on events (incident_id, cursor) where incident_id is not null',
      'create index events_at on events (at)',
      `create table effects (
        seq integer primary key autoincrement, id text not null unique, agent_id text not null, executor text,
        status text not null, visible_at integer not null, tries integer not null, created_at integer not null,
        settled_at integer, outcome text, detail text not null, correlation_id text not null,
        body text not null)`,
      'create index effects_open on effects (seq) where settled_at is null',
      'create index effects_settled on effects (settled_at) where settled_at is not null',
      'create index effects_agent on effects (agent_id, seq)',
      `create table checkpoints (
        seq integer primary key autoincrement, agent_id text not null, checkpoint_id text not null,
        parent_id text, task_id text, incarnation integer not null, at integer not null, hash text not null,
        content text not null, unique (agent_id, checkpoint_id))`,
      'create index checkpoints_agent on checkpoints (agent_id, seq)',
      `create table tokens (
        id text primary key, hash text not null unique, role text not null, agent_id text, group_name text,
        created_at integer not null, revoked_at integer)`,
      'create table meta (key text primary key, value text not null) without rowid',
      `create table rollups (
        agent_id text not null, hour integer not null, beats integer not null, nudges integer not null,
        escalations integer not null, terminations integer not null, recoveries integer not null,
        healthy_ms integer not null, degraded_ms integer not null, stuck_ms integer not null,
        failing_ms integer not null, primary key (agent_id, hour)) without rowid`,
      'create index rollups_hour on rollups (hour)',
      `create table final_states (
        agent_id text not null, incarnation integer not null, hard text not null,
        primary key (agent_id, incarnation))`,
    ],
  },
  {
    name: 'strips over a restart',
    statements: [
      'create table strip_pages (at integer not null, writer text not null, body text not null, primary key (at, writer))',
    ],
  },
  {
    name: 'old checkpoints are found by their time',
    statements: ['create index checkpoints_at on checkpoints (at)'],
  },
  {
    name: 'records say which version they are of',
    statements: ['agents', 'fleet', 'events', 'effects', 'final_states'].map(
      (table) => `alter table ${table} add column record_version integer not null default 1`,
    ),
  },
  {
    name: 'several writers',
    statements: [
      'create table due_claims (agent_id text primary key, wake_at integer not null, until integer not null) without rowid',
      `create table effect_changes (
        cursor integer primary key autoincrement, at integer not null, what text not null, effect_id text not null)`,
      'create index effect_changes_at on effect_changes (at)',
      'alter table effects add column is_offered integer not null default 0',
      'create index effects_offered on effects (seq) where is_offered = 1 and settled_at is null',
    ],
  },
  {
    name: 'effects end with what they live by',
    records: 2,
    statements: [
      "alter table effects add column lives_by text not null default ''",
      'alter table effects add column until integer',
      'alter table effects add column urgency integer not null default 1',
      'drop index effects_open',
      'create index effects_open on effects (urgency, seq) where settled_at is null',
      'create index effects_life on effects (lives_by) where settled_at is null',
      'create index effects_until on effects (until) where settled_at is null and until is not null',
    ],
    fill: fillLives,
  },
  { name: 'records of version 3', records: 3, statements: [] },
  { name: 'records of version 4', records: 4, statements: [] },
  {
    name: 'what agents have spent',
    statements: [
      `create table spending (
        day integer not null, agent_id text not null, group_name text not null, task_id text not null,
        model text not null, input integer not null, output integer not null, cache_read integer not null,
        cache_write integer not null, cache_write_hour integer not null, tokens integer not null,
        cost_micros integer not null, reported_micros integer not null, unpriced_tokens integer not null,
        primary key (day, agent_id, group_name, task_id, model)) without rowid`,
    ],
  },
  {
    name: 'letters',
    statements: [
      `create table letters (
        seq integer primary key autoincrement, letter_id text not null unique, sender text not null,
        recipient text not null, client_id text, subject text not null, priority text not null, in_reply_to text,
        passed text not null, is_verified integer not null, sent_at integer not null, delivered_at integer,
        read_at integer, acknowledged_at integer, archived_at integer, content text not null,
        unique (sender, client_id))`,
      // All that a count needs.
      'create index letters_box on letters (recipient, seq, priority, read_at)',
      'create index letters_unread on letters (recipient, seq) where read_at is null',
      'create index letters_sent on letters (sender, seq, priority, read_at)',
      'create index letters_unacknowledged on letters (sender, seq) where acknowledged_at is null',
      'create index letters_sent_at on letters (sent_at)',
    ],
  },
  { name: 'records of version 5', records: 5, statements: [] },
];

/**
 * The number of migrations applied to a file, read before anything is written; 0 for a new file. A file of a newer
 * Holter is refused, because this version can't read it.
 */
export function schemaVersionOf(database: Database.Database): number {
  const isKnown = database.prepare(MIGRATIONS_TABLE).all([]).length > 0;
  if (!isKnown) return 0;
  const [row] = database.prepare('select max(version) as version from migrations').all([]) as {
    readonly version: number | null;
  }[];
  const version = row?.version ?? 0;
  refuseNewer(version);
  return version;
}

const MIGRATIONS_TABLE = "select 1 from sqlite_master where type = 'table' and name = 'migrations'";

function refuseNewer(version: number): void {
  if (version <= MIGRATIONS.length) return;
  throw new StoreUnavailable(
    'newer_schema',
    `the database was written by a newer Holter (schema ${version}, this one knows ${MIGRATIONS.length}): update Holter, or restore a backup`,
  );
}

/** Brings the tables up to date. */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  if ((await versionOf(db)) === MIGRATIONS.length) return;
  await inTransaction(db, async (transaction) => {
    await sql`create table if not exists migrations (version integer primary key, name text not null)`.execute(
      transaction,
    );
    const version = await versionOf(transaction);
    refuseNewer(version);
    for (const [index, { name, statements, fill }] of MIGRATIONS.entries()) {
      if (index < version) continue;
      for (const statement of statements) await sql.raw(statement).execute(transaction);
      await fill?.(transaction);
      await transaction
        .insertInto('migrations')
        .values({ version: index + 1, name })
        .execute();
    }
  });
}

async function versionOf(db: Kysely<Schema>): Promise<number> {
  const tables = await sql.raw(MIGRATIONS_TABLE).execute(db);
  if (tables.rows.length === 0) return 0;
  const row = await db
    .selectFrom('migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}
