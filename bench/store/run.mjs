// `npm run bench:store`: what the SQLite store does per second, beside a bare libsql loop on the same disk in
// the same run. "alone" waits for each commit; the disk's flush limits it. "grouped" is one transaction.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import Database from 'libsql';
import { openSqlite } from '../../packages/server/dist/store/sqlite/index.js';

const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'holter-bench-store-'));
const AT = 1_700_000_000_000;
const soft = {
  beatAt: AT,
  pongAt: 0,
  activityAt: AT,
  tokens: 1,
  costUsd: 0.5,
  probedAt: 0,
  cpuMs: 0,
  ioBytes: 0,
};

/** About 1.5 kB of JSON, like the record of a working agent. */
const hardOf = (agentId, at) => ({
  agentId,
  incarnation: 1,
  instanceHash: 1,
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: { beatEveryMs: 60_000, calls: { modelTimeoutMs: 600_000 } },
  can: ['nudge', 'terminate', 'spawn'],
  executor: 'host-1',
  startedAt: AT,
  at,
  wakeAt: at + 60_000,
  health: 'HEALTHY',
  healthSince: AT,
  holds: [],
  heldBefore: { anyMs: 0, outsideToolMs: 0 },
  points: [],
  derived: [],
  incidentCount: 0,
  seen: Array.from({ length: 64 }, (_, i) => 2_000_000_000 + i * 7_919),
  results: Array.from({ length: 32 }, (_, i) => 1_000_000_000 + i * 104_729),
});

const commitOf = (agentId, version) => ({
  agent: { soft, hard: hardOf(agentId, AT + version * 1_000) },
  expectedVersion: version,
  events: [
    {
      at: AT + version * 1_000,
      incarnation: 1,
      type: 'TASK_CHANGED',
      payload: { agentId, taskId: 't', status: 'x' },
    },
  ],
  effects: [],
  correlationId: 'bench',
});

const rows = [];
async function measure(what, count, work) {
  const started = performance.now();
  await work();
  const perSecond = count / ((performance.now() - started) / 1_000);
  rows.push({ what, 'per second': Math.round(perSecond), 'µs each': Math.round(1e6 / perSecond) });
}

const store = await openSqlite(join(folder, 'holter.db'));
const bare = new Database(join(folder, 'bare.db'));
bare.exec('pragma journal_mode = wal');
bare.exec('pragma synchronous = full');
bare.exec('create table t (id integer primary key, a text, b text)');
const insert = bare.prepare('insert into t (a, b) values (?, ?)');
const body = JSON.stringify(hardOf('bare', AT));

const ALONE = 300;
const GROUP = 200;
const GROUPS = 20;
const SOFT = 10_000;
const versions = new Map();
const next = (agentId) => {
  const version = versions.get(agentId) ?? 0;
  versions.set(agentId, version + 1);
  return commitOf(agentId, version);
};
const names = (count) => Array.from({ length: count }, (_, i) => `agent-${i}`);

// Warm-up: the first use of each statement prepares it.
await store.commit(names(GROUP).map(next));

await measure('bare libsql, one insert per transaction', ALONE, () => {
  for (let i = 0; i < ALONE; i += 1) insert.run(['x', body]);
});
await measure('commit alone', ALONE, async () => {
  for (let i = 0; i < ALONE; i += 1) await store.commit([next(`agent-${i % GROUP}`)]);
});
await measure(`bare libsql, ${GROUP} inserts per transaction`, GROUP * GROUPS, () => {
  for (let group = 0; group < GROUPS; group += 1) {
    bare.exec('begin immediate');
    for (let i = 0; i < GROUP; i += 1) insert.run(['x', body]);
    bare.exec('commit');
  }
});
await measure(`commits in groups of ${GROUP}`, GROUP * GROUPS, async () => {
  for (let group = 0; group < GROUPS; group += 1) await store.commit(names(GROUP).map(next));
});
for (let i = 0; i < SOFT; i += GROUP * 5) {
  await store.commit(
    names(SOFT)
      .slice(i, i + GROUP * 5)
      .filter((name) => !versions.has(name))
      .map(next),
  );
}
const entries = names(SOFT).map((agentId) => ({ agentId, incarnation: 1, soft, beats: 1 }));
await store.flushSoft(entries);
await measure(`soft rows, ${SOFT} per flush`, SOFT * 5, async () => {
  for (let i = 0; i < 5; i += 1) await store.flushSoft(entries);
});
await measure('loads', 2_000, async () => {
  for (let i = 0; i < 2_000; i += 1) await store.load(`agent-${i}`);
});

console.table(rows);
console.log(`Node ${process.version}`);
await store.close();
bare.close();
rmSync(folder, { recursive: true });
