import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORD_VERSION } from '@holter/core';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentOf, at, commitOf, committed, nudge, taskChanged } from '../contract/kit.ts';
import type { Store } from '../store.ts';
import { openSqlite } from './index.ts';
import { MIGRATIONS } from './migrations.ts';

let folder = '';
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holter-record-version-'));
  store = await openSqlite(join(folder, 'holter.db'));
  for (const id of ['ada', 'bob']) {
    const effects = [nudge(`${id}/1/nudge/1`, id)];
    await committed(store, commitOf(agentOf(id), 0, { effects, events: [taskChanged(id, at(0), 'begun')] }));
  }
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function run(statement: string): readonly unknown[] {
  const database = new Database(join(folder, 'holter.db'));
  try {
    return database.prepare(statement).all([]);
  } finally {
    database.close();
  }
}

it('every record states its version', () => {
  for (const table of ['agents', 'events', 'effects'])
    expect(run(`select distinct record_version from ${table}`)).toEqual([{ record_version: RECORD_VERSION }]);
});

it('the newest record version has a migration, so that an older Holter refuses the folder', () => {
  expect(Math.max(1, ...MIGRATIONS.map(({ records }) => records ?? 1))).toBe(RECORD_VERSION);
});

it('a record of a newer Holter is refused; the others are still read', async () => {
  for (const table of ['agents', 'events', 'effects'])
    run(`update ${table} set record_version = 999 where agent_id = 'ada' returning 1`);
  await expect(store.load('ada')).rejects.toThrow('agent ada was written by a newer Holter (record 999');
  expect((await store.load('bob'))?.version).toBe(1);
  const agents = (await store.listAgents({ limit: 10 })).items;
  expect(agents.map(({ agent }) => agent.hard.agentId)).toEqual(['bob']);
  const events = await store.readEvents({ after: 0, limit: 10 });
  expect(events.map(({ agentId }) => agentId)).toEqual(['bob']);
  const claimed = await store.claimEffects({ executors: [null], at: at(0), leaseMs: 1, limit: 10 });
  expect(claimed.map(({ effect }) => effect.id)).toEqual(['bob/1/nudge/1']);
  expect((await store.listEffects({ limit: 10 })).map(({ effect }) => effect.agentId)).toEqual(['bob']);
});
