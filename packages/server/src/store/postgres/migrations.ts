import { StoreUnavailable } from '../store.ts';
import type { Connections, Row } from './connections.ts';
import { literal } from './text.ts';

type Migration = {
  readonly name: string;
  readonly statements: readonly string[];
  /**
   * Servers that do not know this migration can't work with the database any more. Without it, a migration only adds what they
   * ignore, so that servers of two versions work side by side while they are upgraded one by one.
   */
  readonly isBreaking?: true;
};

/**
 * Append only: a database's version is the number of migrations applied. Texts compare as bytes, as in SQLite. Times
 * are `double precision`, because a computed deadline need not be a whole number.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    name: 'first tables',
    statements: [
      `create table agents (
        agent_id text collate "C" primary key, version bigint not null, incarnation bigint not null,
        role text collate "C" not null, group_name text collate "C" not null, health text not null,
        health_since double precision not null, has_ended integer not null, has_incident integer not null,
        updated_at double precision not null, hard text not null, record_version integer not null)
        with (fillfactor = 80)`,
      'create index agents_group on agents (group_name, has_ended)',
      'create index agents_health on agents (health)',
      'create index agents_incident on agents (agent_id) where has_incident = 1',
      // Changes with every flush: room for the new version on the same page, and no index on what changes.
      `create table soft (
        agent_id text collate "C" primary key, incarnation bigint not null, beat_at double precision not null,
        pong_at double precision not null, activity_at double precision not null, tokens double precision not null,
        cost_usd double precision not null, looked_at double precision not null, cpu_ms double precision not null,
        io_bytes double precision not null) with (fillfactor = 50)`,
      // The time of the next check changes without the record, which may be large. A claim is valid for one wake_at.
      `create table due (
        agent_id text collate "C" primary key, incarnation bigint not null, version bigint not null,
        record_version integer not null, wake_at double precision not null, claimed_wake_at double precision,
        claimed_until double precision) with (fillfactor = 50)`,
      'create index due_wake on due (wake_at, agent_id)',
      'create table fleet (id integer primary key check (id = 1), version bigint not null, state text not null, record_version integer not null)',
      'create table log_ends (name text primary key, last bigint not null)',
      "insert into log_ends values ('events', 0), ('effect_changes', 0)",
      `create table events (
        cursor bigint primary key, at double precision not null, agent_id text collate "C" not null,
        type text collate "C" not null, incident_id text collate "C", correlation_id text not null,
        body text not null, record_version integer not null)`,
      'create index events_agent on events (agent_id, cursor)',
      'create index events_type on events (type, cursor)',
      'create index events_incident on events (incident_id, cursor) where incident_id is not null',
      'create index events_at on events (at)',
      `create table effects (
        seq bigint generated always as identity primary key, id text collate "C" not null unique,
        agent_id text collate "C" not null, executor text collate "C", status text not null,
        visible_at double precision not null, tries bigint not null, created_at double precision not null,
        settled_at double precision, outcome text, detail text not null, correlation_id text not null,
        lives_by text collate "C" not null, until double precision, urgency integer not null, body text not null,
        record_version integer not null, is_offered integer not null default 0) with (fillfactor = 80)`,
      'create index effects_open on effects (urgency, seq) where settled_at is null',
      'create index effects_settled on effects (settled_at) where settled_at is not null',
      'create index effects_agent on effects (agent_id, seq)',
      'create index effects_life on effects (lives_by) where settled_at is null',
      'create index effects_until on effects (until) where settled_at is null and until is not null',
      'create index effects_offered on effects (seq) where is_offered = 1 and settled_at is null',
      `create table effect_changes (
        cursor bigint primary key, at double precision not null, what text not null,
        effect_id text collate "C" not null)`,
      'create index effect_changes_at on effect_changes (at)',
      `create table checkpoints (
        seq bigint generated always as identity primary key, agent_id text collate "C" not null,
        checkpoint_id text collate "C" not null, parent_id text, task_id text, incarnation bigint not null,
        at double precision not null, hash text not null, content text not null, unique (agent_id, checkpoint_id))`,
      'create index checkpoints_agent on checkpoints (agent_id, seq)',
      'create index checkpoints_at on checkpoints (at)',
      `create table tokens (
        seq bigint generated always as identity, id text collate "C" primary key, hash text not null unique,
        role text not null, agent_id text collate "C", group_name text collate "C",
        created_at double precision not null, revoked_at double precision)`,
      'create table meta (key text collate "C" primary key, value text not null)',
      `create table rollups (
        agent_id text collate "C" not null, hour double precision not null, beats bigint not null,
        nudges bigint not null, escalations bigint not null, terminations bigint not null, recoveries bigint not null,
        healthy_ms double precision not null, degraded_ms double precision not null, stuck_ms double precision not null,
        failing_ms double precision not null, primary key (agent_id, hour)) with (fillfactor = 70)`,
      'create index rollups_hour on rollups (hour)',
      `create table spending (
        day double precision not null, agent_id text collate "C" not null, group_name text collate "C" not null,
        task_id text collate "C" not null, model text collate "C" not null, input double precision not null,
        output double precision not null, cache_read double precision not null, cache_write double precision not null,
        cache_write_hour double precision not null, tokens double precision not null,
        cost_micros double precision not null, reported_micros double precision not null,
        unpriced_tokens double precision not null, primary key (day, agent_id, group_name, task_id, model))`,
      `create table strip_pages (
        at double precision not null, writer text collate "C" not null, body text not null, primary key (at, writer))`,
      `create table final_states (
        agent_id text collate "C" not null, incarnation bigint not null, hard text not null,
        record_version integer not null, primary key (agent_id, incarnation))`,
      `create table letters (
        seq bigint generated always as identity primary key, letter_id text collate "C" not null unique,
        sender text collate "C" not null, recipient text collate "C" not null, client_id text collate "C",
        subject text not null, priority text not null, in_reply_to text, passed text not null,
        is_verified integer not null, sent_at double precision not null, delivered_at double precision,
        read_at double precision, acknowledged_at double precision, archived_at double precision,
        content text not null, unique (sender, client_id))`,
      'create index letters_box on letters (recipient, seq, priority, read_at)',
      'create index letters_unread on letters (recipient, seq) where read_at is null',
      'create index letters_sent on letters (sender, seq, priority, read_at)',
      'create index letters_unacknowledged on letters (sender, seq) where acknowledged_at is null',
      'create index letters_sent_at on letters (sent_at)',
    ],
  },
];

/** Everything that is used here exists since this version. Tests run with the one that is installed. */
const MAJOR_MIN = 13;

/** Brings the tables up to date. Of several servers that start at once, one does it, and the others wait. */
export async function migrate(connections: Connections, migrations = MIGRATIONS): Promise<void> {
  const { rows } = await connections.read(
    "select current_setting('server_version_num')::int / 10000 as major, to_regclass('migrations') is not null as known",
  );
  const major = Number(rows[0]?.major);
  if (major < MAJOR_MIN)
    throw new StoreUnavailable(
      'denied',
      `PostgreSQL ${major} is too old: Holter needs ${MAJOR_MIN} or newer`,
    );
  if (rows[0]?.known === true && isCurrent(await appliedIn(connections), migrations)) return;
  await connections.transaction(async (send) => {
    const [, , , applied = []] = await send([
      "set local lock_timeout = '10min'",
      'select pg_advisory_xact_lock(4715501)',
      'create table if not exists migrations (version integer primary key, name text not null, is_breaking integer not null)',
      APPLIED,
    ]);
    const missing = isCurrent(applied, migrations) ? [] : migrations.slice(applied.length);
    const statements = missing.flatMap(({ name, statements, isBreaking }, index) => [
      ...statements,
      `insert into migrations values (${applied.length + index + 1}, ${literal(name)}, ${isBreaking ? 1 : 0})`,
    ]);
    await send([...statements, 'commit']);
  });
}

const APPLIED = 'select version, name, is_breaking from migrations order by version';

const appliedIn = async (connections: Connections): Promise<readonly Row[]> =>
  (await connections.read(APPLIED)).rows;

/** Whether nothing is missing. A database that a newer Holter has changed for good is refused. */
function isCurrent(applied: readonly Row[], migrations: readonly Migration[]): boolean {
  const breaking = applied.slice(migrations.length).find(({ is_breaking }) => is_breaking === 1);
  if (breaking)
    throw new StoreUnavailable(
      'newer_schema',
      `the database was written by a newer Holter (${String(breaking.name)}): update Holter, or restore a backup`,
    );
  return applied.length >= migrations.length;
}
