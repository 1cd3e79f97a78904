import pg from 'pg';
import { openPostgres } from '../../packages/server/dist/store/postgres/index.js';
import { startPostgres } from '../../scripts/postgres.mjs';

const AGENTS = `id text primary key, version int8, incarnation int8, role text, grp text, health text, since int8,
  ended int8, incident int8, wake int8, updated int8, hard text, record int8`;
const SOFT = `id text primary key, incarnation int8, beat int8, pong int8, activity int8, tokens float8, cost float8,
  looked int8, cpu float8, io float8`;
const BEATS = 'id text primary key, hour int8, beats int8';
const EVENTS = 'at int8, agent text, type text, incident text, correlation text, body text, record int8';

/** The store, and one statement per batch over tables with the same rows and as many indexes; null where PostgreSQL is not installed. */
export async function openPostgresPair() {
  const server = await startPostgres({ isDurable: true });
  if (server === null) return null;
  const store = await openPostgres(server.url());
  const bare = new pg.Client({ connectionString: server.url() });
  await bare.connect();
  await bare.query('create schema bare');
  await bare.query(`create table bare.agents (${AGENTS})`);
  await bare.query(`create table bare.soft (${SOFT}) with (fillfactor = 50)`);
  await bare.query(`create table bare.events (cursor bigserial primary key, ${EVENTS})`);
  await bare.query(`create table bare.beats (${BEATS})`);
  for (const column of ['wake', 'health']) await bare.query(`create index on bare.agents (${column})`);
  for (const column of ['agent', 'type', 'at'])
    await bare.query(`create index on bare.events (${column}, cursor)`);
  const agents = upsert('agents', AGENTS);
  const beats = upsert('beats', BEATS);
  const soft = upsert('soft', SOFT);
  const events = insert('events', EVENTS);
  return {
    store,
    insertCommits: async (rows) => {
      await bare.query('begin');
      await bare.query(agents, columnsOf(rows.map((row) => row.agent)));
      await bare.query(soft, columnsOf(rows.map((row) => row.soft)));
      await bare.query(events, columnsOf(rows.map((row) => row.event)));
      await bare.query('commit');
    },
    insertSoft: async (rows) => {
      await bare.query('begin');
      await bare.query(soft, columnsOf(rows));
      await bare.query(beats, columnsOf(rows.map(([id]) => [id, 0, 1])));
      await bare.query('commit');
    },
    close: async () => {
      await store.close();
      await bare.end();
      await server.dispose();
    },
  };
}

const columnsIn = (definition) =>
  definition.split(',').map((column) => {
    const [name, type] = column.trim().split(/\s+/);
    return { name, type };
  });

function insert(table, definition) {
  const columns = columnsIn(definition);
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  return `insert into bare.${table} (${columns.map(({ name }) => name).join(', ')}) select * from unnest(${arrays})`;
}

function upsert(table, definition) {
  const [, ...others] = columnsIn(definition);
  const updates = others.map(({ name }) => `${name} = excluded.${name}`).join(', ');
  return `${insert(table, definition)} on conflict (id) do update set ${updates}`;
}

const columnsOf = (rows) => rows[0].map((_, index) => rows.map((row) => row[index]));
