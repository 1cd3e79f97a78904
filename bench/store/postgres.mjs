import pg from 'pg';
import { openPostgres } from '../../packages/server/dist/store/postgres/index.js';
import { startPostgres } from '../../scripts/postgres.mjs';

const AGENTS = `id text primary key, version int8, incarnation int8, role text, grp text, health text, since int8,
  ended int8, incident int8, wake int8, updated int8, hard text, record int8`;
const SOFT = `id text primary key, incarnation int8, beat int8, pong int8, activity int8, tokens float8, cost float8,
  looked int8, cpu float8, io float8`;
const BEATS = 'id text primary key, hour int8, beats int8';
const EVENTS = 'at int8, agent text, type text, incident text, correlation text, body text, record int8';

const TABLES = [
  'create schema bare',
  `create table bare.agents (${AGENTS})`,
  `create table bare.soft (${SOFT}) with (fillfactor = 50)`,
  `create table bare.events (cursor bigserial primary key, ${EVENTS})`,
  `create table bare.beats (${BEATS})`,
  ...['wake', 'health'].map((column) => `create index on bare.agents (${column})`),
  ...['agent', 'type', 'at'].map((column) => `create index on bare.events (${column}, cursor)`),
];

/** A PostgreSQL with the pair of them; null where it is not installed. */
export async function startPostgresPair() {
  const server = await startPostgres({ isDurable: true });
  if (server === null) return null;
  const client = new pg.Client(server.url());
  await client.connect();
  await client.query(TABLES.join('; '));
  await client.end();
  const pair = await openPostgresPair(server.url());
  const close = async () => {
    await pair.close();
    await server.dispose();
  };
  return { ...pair, url: server.url(), close };
}

/** The store, and one statement per batch over tables with the same rows and as many indexes. */
export async function openPostgresPair(url) {
  const store = await openPostgres(url);
  const bare = new pg.Client({ connectionString: url });
  await bare.connect();
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
