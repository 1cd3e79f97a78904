import { type Kysely, type RawBuilder, sql } from 'kysely';
import { hourOf } from '../rollup.ts';
import type { Schema } from '../sql/schema.ts';
import type { SoftEntry } from '../store.ts';
import { preparedForMany } from './prepared.ts';

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

type SoftRow = Schema['soft'];

const putRows = preparedForMany<SoftRow>((db, place) => {
  const columns = ['agent_id', 'incarnation', ...COLUMNS] as const;
  return compilable(
    db,
    sql`insert into soft (${sql.join(columns.map((column) => sql.ref(column)))})
      values (${sql.join(columns.map((column) => sql`${place(column)}`))})
      on conflict (agent_id) do update set incarnation = excluded.incarnation, ${merge}`,
  );
});

const mergeRows = preparedForMany<SoftRow>((db, place) =>
  compilable(
    db,
    sql`update soft set ${sql.join(
      COLUMNS.map((column) => sql`${sql.ref(column)} = max(${sql.ref(column)}, ${place(column)})`),
    )} where agent_id = ${place('agent_id')} and incarnation = ${place('incarnation')}`,
  ),
);

const compilable = (db: Kysely<Schema>, query: RawBuilder<unknown>) => ({ compile: () => query.compile(db) });

/** Together with the record. */
export async function putSoft(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  await putRows(db, entries.map(softRowOf));
}

/** Returns the entries of incarnations that are stored; those of another one are ignored. */
export async function mergeSoft(
  db: Kysely<Schema>,
  entries: readonly SoftEntry[],
): Promise<readonly SoftEntry[]> {
  const changes = await mergeRows(db, entries.map(softRowOf));
  return entries.filter((_, index) => changes[index] === 1);
}

const softRowOf = ({ agentId, incarnation, soft }: SoftEntry): SoftRow => ({
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

type BeatRow = Pick<Schema['rollups'], 'agent_id' | 'hour' | 'beats'>;

const countBeats = preparedForMany<BeatRow>((db, place) =>
  compilable(
    db,
    sql`insert into rollups
      values (${place('agent_id')}, ${place('hour')}, ${place('beats')}, 0, 0, 0, 0, 0, 0, 0, 0)
      on conflict (agent_id, hour) do update set beats = rollups.beats + excluded.beats`,
  ),
);

export async function addBeats(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  const rows = entries.flatMap(({ agentId, soft, beats }) =>
    beats ? [{ agent_id: agentId, hour: hourOf(soft.beatAt), beats }] : [],
  );
  await countBeats(db, rows);
}

/** SQLite writes a number with 15 digits into JSON, too few for `NEVER`; so it is given as text. */
type WakeRow = Pick<Schema['agents'], 'agent_id' | 'incarnation' | 'version' | 'wake_at'> & {
  readonly wake_json: string;
};

const setWakes = preparedForMany<WakeRow>((db, place) =>
  compilable(
    db,
    sql`update agents set wake_at = ${place('wake_at')}, hard = json_set(hard, '$.wakeAt', json(${place('wake_json')}))
      where agent_id = ${place('agent_id')} and incarnation = ${place('incarnation')}
        and version = ${place('version')}`,
  ),
);

export async function postpone(db: Kysely<Schema>, entries: readonly SoftEntry[]): Promise<void> {
  const rows = entries.flatMap(({ agentId, incarnation, wake }) =>
    wake
      ? [
          {
            ...{ agent_id: agentId, incarnation, version: wake.version },
            ...{ wake_at: wake.at, wake_json: JSON.stringify(wake.at) },
          },
        ]
      : [],
  );
  await setWakes(db, rows);
}
