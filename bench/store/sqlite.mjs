import { join } from 'node:path';
import Database from 'libsql';
import { openSqlite } from '../../packages/server/dist/store/sqlite/index.js';

const places = (count) => Array.from({ length: count }, () => '?').join(', ');

/** The store, and a bare libsql loop over another file with the same tables and indexes. */
export async function openSqlitePair(folder) {
  const store = await openSqlite(join(folder, 'holter.db'));
  const path = join(folder, 'bare.db');
  await (await openSqlite(path)).close();
  const bare = new Database(path);
  bare.exec('pragma journal_mode = wal');
  bare.exec('pragma synchronous = full');
  const agent = bare.prepare(`insert or replace into agents values (${places(13)})`);
  const soft = bare.prepare(`insert or replace into soft values (${places(10)})`);
  const event = bare.prepare(`insert into events values (null, ${places(7)})`);
  const beats = bare.prepare(`insert or replace into rollups values (?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0)`);
  const inTransaction = (body) => {
    bare.exec('begin immediate');
    body();
    bare.exec('commit');
  };
  return {
    store,
    insertCommits: async (rows) =>
      inTransaction(() => {
        for (const row of rows) {
          agent.run(row.agent);
          soft.run(row.soft);
          event.run(row.event);
        }
      }),
    insertSoft: async (rows) =>
      inTransaction(() => {
        for (const row of rows) {
          soft.run(row);
          beats.run([row[0], 0, 1]);
        }
      }),
    close: async () => {
      await store.close();
      bare.close();
    },
  };
}
