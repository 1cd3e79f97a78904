import { RECORD_VERSION } from '@holter/core';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TempDatabase } from '../../../test/postgres-database.ts';
import { until } from '../../../test/until.ts';
import { wallNow } from '../../real-clock.ts';
import { agentOf, at, commitOf, committed, nudge, taskChanged } from '../contract/kit.ts';
import { hasPostgres, TempPostgres } from '../contract/temp-postgres.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { Connections } from './connections.ts';
import { openPostgres } from './index.ts';
import { stateOf } from './state.ts';

const database = new TempPostgres();
const others: pg.Client[] = [];
let store: Store;

const faultOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return 'none';
  if (error instanceof StoreUnavailable) return error.code;
  throw error;
};

/** Another program with a connection of its own. */
async function another(...statements: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  client.on('error', () => undefined);
  await client.connect();
  others.push(client);
  for (const statement of statements) await client.query(statement);
  return client;
}

const begun = (agentId: string) =>
  commitOf(agentOf(agentId), 0, { events: [taskChanged(agentId, at(0), 'x')] });

describe.skipIf(!hasPostgres())('faults of PostgreSQL', () => {
  beforeEach(async () => {
    store = await database.fresh();
  });
  afterEach(async () => {
    for (const client of others.splice(0)) await client.end();
  });
  afterAll(() => database.dispose());

  it('goes on after its connections were cut, with what was committed', async () => {
    await committed(store, begun('ada'));
    const cut = () =>
      database.run(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'holter'`);
    const isBack = () => until('it is back', async () => (await faultOf(store.load('ada'))) === 'none');
    await cut();
    expect(['none', 'unreachable']).toContain(await faultOf(store.load('ada')));
    await isBack();
    expect(await store.load('ada')).toMatchObject({ version: 1 });
    const writes = Promise.all(['bob', 'cyd', 'dan'].map((id) => faultOf(store.commit([begun(id)]))));
    await cut();
    for (const verdict of await writes) expect(['none', 'unreachable']).toContain(verdict);
    await isBack();
    const events = await store.readEvents({ after: 0, limit: 9 });
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(await store.check()).toEqual([]);
  });

  it('does not number an event before those of a transaction that holds the log', async () => {
    const late = await another('begin', 'select pg_advisory_xact_lock(4715500)');
    const commit = store.commit([begun('ada')]);
    await late.query(`insert into events values (1, 0, 'late', 'TASK_CHANGED', null, 'c', '{}', 1)`);
    expect(await store.readEvents({ after: 0, limit: 9 })).toEqual([]);
    expect(await store.lastCursor()).toBe(0);
    await late.query('commit');
    expect(await commit).toMatchObject([{ firstCursor: 2 }]);
  });

  it('counts from the last cursor, whatever the default isolation of the database is', async () => {
    await database.run(`alter database ${new URL(database.url).pathname.slice(1)}
      set default_transaction_isolation = 'serializable'`);
    const [a, b] = [await openPostgres(database.url), await openPostgres(database.url)];
    try {
      const rounds = Array.from({ length: 20 }, (_, index) => index);
      await Promise.all(rounds.map((round) => (round % 2 ? a : b).commit([begun(`agent-${round}`)])));
      const cursors = (await a.readEvents({ after: 0, limit: 99 })).map(({ cursor }) => cursor);
      expect(cursors).toEqual(rounds.map((round) => round + 1));
    } finally {
      await a.close();
      await b.close();
      await database.run(`alter database ${new URL(database.url).pathname.slice(1)}
        reset default_transaction_isolation`);
    }
  });

  it('reports a lock that another program does not give back', { timeout: 20_000 }, async () => {
    await committed(store, begun('ada'));
    const holder = await another('begin', "select * from agents where agent_id = 'ada' for update");
    expect(await faultOf(store.commit([commitOf(agentOf('ada'), 1)]))).toBe('locked');
    expect(await store.load('ada')).toMatchObject({ version: 1 });
    await holder.query('rollback');
    expect(await committed(store, commitOf(agentOf('ada'), 1))).toBe(2);
  });

  it('says why it can not be opened', async () => {
    const url = (change: (url: URL) => void): string => {
      const changed = new URL(database.url);
      change(changed);
      return changed.href;
    };
    const opened = (href: string) => faultOf(openPostgres(href).then((each) => each.close()));
    expect(
      await opened(
        url((each) => {
          each.password = 'wrong';
        }),
      ),
    ).toBe('denied');
    expect(
      await opened(
        url((each) => {
          each.pathname = '/nowhere';
        }),
      ),
    ).toBe('missing');
    expect(
      await opened(
        url((each) => {
          each.port = '1';
        }),
      ),
    ).toBe('unreachable');
    expect(
      await opened(
        url((each) => {
          each.hostname = 'no.such.host.invalid';
        }),
      ),
    ).toBe('unreachable');
  });

  it('is read-only while PostgreSQL is', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.run(`alter database ${name} set default_transaction_read_only = on`);
    const other = await openPostgres(database.url);
    try {
      expect(await faultOf(other.commit([begun('ada')]))).toBe('read_only');
      expect(await other.load('ada')).toBeNull();
    } finally {
      await other.close();
      await database.run(`set default_transaction_read_only = off;
        alter database ${name} reset default_transaction_read_only`);
    }
  });

  it('leaves records of a newer Holter to it', async () => {
    for (const id of ['ada', 'bob'])
      await committed(
        store,
        commitOf(agentOf(id, { wakeAt: at(1) }), 0, {
          events: [taskChanged(id, at(0), 'x')],
          effects: [nudge(`${id}/e`, id)],
        }),
      );
    for (const table of ['agents', 'events', 'effects', 'due'])
      await database.run(`update ${table} set record_version = ${RECORD_VERSION + 1} where agent_id = 'ada'`);
    await expect(store.load('ada')).rejects.toThrow('agent ada was written by a newer Holter');
    expect((await store.listAgents({ limit: 9 })).items).toHaveLength(1);
    expect(await store.readEvents({ after: 0, limit: 9 })).toHaveLength(1);
    expect(await store.claimDue({ at: at(9), leaseMs: 1, limit: 9 })).toMatchObject([{ agentId: 'bob' }]);
    const claim = { executors: [null], at: at(9), leaseMs: 1, limit: 9 };
    expect(await store.claimEffects(claim)).toMatchObject([{ effect: { agentId: 'bob' } }]);
  });

  it('names transactions that others leave open, and tells its own time', async () => {
    const connections = new Connections({ url: database.url, connectionsMax: 1, answerMsMax: 10_000 });
    await another('begin', "set application_name = 'a forgotten psql'", 'select 1');
    try {
      const { now, hindrances } = await stateOf(connections.db, 0);
      expect(hindrances).toEqual([
        expect.stringMatching(/^A transaction of \w+ \(a forgotten psql, pid \d+\) has been open for 0 min/),
      ]);
      expect(Math.abs((now ?? 0) - wallNow())).toBeLessThan(600_000);
      expect((await store.inspect()).hindrances).toEqual([]);
    } finally {
      await connections.close();
    }
  });

  it('notices that a restored backup lacks events that this server has seen', async () => {
    await committed(store, begun('ada'));
    await database.run('delete from events; update log_ends set last = 0');
    expect(await faultOf(store.commit([begun('bob')], 1))).toBe('older');
  });
});

describe.skipIf(!hasPostgres())('migrations of PostgreSQL', () => {
  const empty = new TempDatabase();
  afterAll(() => empty.drop());

  it('are done once by several servers that start together, and older servers refuse only what breaks them', async () => {
    await empty.make();
    const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgres(empty.url)));
    for (const each of stores) await each.close();
    const [{ count } = {}] = await empty.run('select count(*)::int as count from migrations');
    expect(count).toBe(1);
    await empty.run(`insert into migrations values (2, 'adds a table', 0)`);
    await (await openPostgres(empty.url)).close();
    await empty.run(`insert into migrations values (3, 'renames a column', 1)`);
    const refused = openPostgres(empty.url);
    expect(await faultOf(refused)).toBe('newer_schema');
    await expect(refused).rejects.toThrow('newer Holter (renames a column)');
  });
});
