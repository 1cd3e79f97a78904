import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, openFile } from './connection.ts';

describe('a connection', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holter-connection-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function open(sizeMaxBytes: number | null = null) {
    const options = {
      path: join(folder, 'holter.db'),
      busyTimeoutMs: 1,
      sizeMaxBytes,
      isKnown: false,
      seal: null,
    };
    const database = openFile(options);
    return { database, ...(await connect(database, options, () => undefined)) };
  }

  it('syncs to disk at each commit, and uses a write-ahead log', async () => {
    const { db, database } = await open(1_000_000);
    const { rows } = await sql`
      select journal_mode, synchronous, max_page_count
      from pragma_journal_mode, pragma_synchronous, pragma_max_page_count`.execute(db);
    // 2 is FULL: an acknowledged commit survives a power failure.
    expect(rows).toEqual([{ journal_mode: 'wal', synchronous: 2, max_page_count: 244 }]);
    database.close();
  });

  it('creates the tables once', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { db, database } = await open();
      expect(await db.selectFrom('migrations').selectAll().execute()).toEqual([
        { version: 1, name: 'first tables' },
        { version: 2, name: 'strips over a restart' },
        { version: 3, name: 'old checkpoints are found by their time' },
        { version: 4, name: 'records say which version they are of' },
        { version: 5, name: 'several writers' },
        { version: 6, name: 'effects end with what they live by' },
        { version: 7, name: 'records of version 3' },
        { version: 8, name: 'records of version 4' },
        { version: 9, name: 'what agents have spent' },
        { version: 10, name: 'letters' },
        { version: 11, name: 'records of version 5' },
      ]);
      database.close();
    }
  });
});
