// `npm run bench:store [-- AGENTS …]`: what each store writes per second with so many agents in it, beside raw batched
// inserts of the same rows into the same database in the same run, in turns. PostgreSQL where it is installed; there
// also the commits of one and of three processes that write at once.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startPostgresPair } from './postgres.mjs';
import { COMMITS, commitOf, rowsOf, softOf, softRowOf, versionsIn } from './rows.mjs';
import { measureServers } from './servers.mjs';
import { openSqlitePair } from './sqlite.mjs';

const SOFT = 2_000;
const ROUNDS = 7;
const BATCHES = 8;

const counts = process.argv.slice(2).map(Number);
const rows = [];
/** Several servers over one database. */
const atOnce = [];
const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'holter-bench-store-'));
try {
  for (const [name, open] of [
    ['SQLite', () => openSqlitePair(folder)],
    ['PostgreSQL', startPostgresPair],
  ]) {
    const pair = await open();
    if (pair === null) console.log(`${name} is not installed`);
    else await measureAll(name, pair);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.table(rows);
console.log(growthOf('commits/s'));
console.log(growthOf('soft rows/s'));
if (atOnce.length > 0) console.table(atOnce);
console.log(`Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`);

async function measureAll(name, pair) {
  let versions = [];
  for (const count of counts.length > 0 ? counts : [1_000, 10_000, 100_000]) {
    while (versions.length < count) {
      const first = versions.length;
      const commits = Array.from({ length: Math.min(COMMITS, count - first) }, (_, i) =>
        commitOf(`agent-${first + i}`, 0),
      );
      await pair.store.commit(commits);
      await pair.insertCommits(commits.map((commit) => rowsOf(commit, commit.agent.hard.agentId)));
      for (const _ of commits) versions.push(1);
    }
    rows.push({ store: name, agents: count, ...(await measure(pair, versions)) });
    console.log(JSON.stringify(rows.at(-1)));
    if (!pair.url) continue;
    for (const servers of [1, 3]) {
      atOnce.push({ agents: count, servers, ...(await measureServers(pair.url, servers, count)) });
      console.log(JSON.stringify(atOnce.at(-1)));
    }
    versions = await versionsIn(pair.store, 0, count);
  }
  await pair.close();
}

async function measure({ store, insertCommits, insertSoft }, versions) {
  const pick = picker(versions.length);
  const commits = await inTurns(COMMITS, {
    batch: () => pick(COMMITS).map((index) => commitOf(`agent-${index}`, versions[index]++)),
    raw: (batch) => insertCommits(batch),
    prepare: (batch) => batch.map((commit) => rowsOf(commit, commit.agent.hard.agentId)),
    own: async (batch) => {
      const verdicts = await store.commit(batch);
      if (verdicts.some(({ kind }) => kind !== 'ok')) throw new Error('a conflict');
    },
  });
  let beat = 0;
  const soft = await inTurns(Math.min(SOFT, versions.length), {
    batch: () => {
      beat += 1;
      return pick(Math.min(SOFT, versions.length)).map((index) => softOf(`agent-${index}`, beat));
    },
    raw: (batch) => insertSoft(batch),
    prepare: (batch) => batch.map(softRowOf),
    own: (batch) => store.flushSoft(batch),
  });
  const alone = await timed(50, async () => {
    for (const index of pick(50)) await store.commit([commitOf(`agent-${index}`, versions[index]++)]);
  });
  const loads = await timed(500, async () => {
    for (const index of pick(500)) await store.load(`agent-${index}`);
  });
  return {
    'commits/s': commits.own,
    'raw commits/s': commits.raw,
    'commits / raw': commits.ratio,
    'soft rows/s': soft.own,
    'raw soft rows/s': soft.raw,
    'soft / raw': soft.ratio,
    'one by one/s': Math.round(alone),
    'loads/s': Math.round(loads),
  };
}

/** Raw and own take turns, so that other load on the machine affects both; the middle of their ratios counts. */
async function inTurns(size, { batch, raw, prepare, own }) {
  const rates = { raw: [], own: [], ratio: [], cpu: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const batches = Array.from({ length: BATCHES }, batch);
    const prepared = batches.map(prepare);
    const cpu = [cpuSeconds()];
    const rawRate = await timed(size * BATCHES, async () => {
      for (const each of prepared) await raw(each);
    });
    cpu.push(cpuSeconds());
    const ownRate = await timed(size * BATCHES, async () => {
      for (const each of batches) await own(each);
    });
    cpu.push(cpuSeconds());
    if (round === 0) continue;
    rates.raw.push(rawRate);
    rates.own.push(ownRate);
    rates.ratio.push(ownRate / rawRate);
    rates.cpu.push((cpu[1] - cpu[0]) / (cpu[2] - cpu[1]));
  }
  const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return {
    raw: Math.round(middle(rates.raw)),
    own: Math.round(middle(rates.own)),
    ratio: `${middle(rates.ratio).toFixed(2)} (CPU ${middle(rates.cpu).toFixed(2)})`,
  };
}

/** Of this process, with its threads. PostgreSQL has its own. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function timed(count, work) {
  const started = performance.now();
  await work();
  return count / ((performance.now() - started) / 1_000);
}

/** Goes through all agents in an order that is not that of their keys, and gives none twice in a row. */
function picker(count) {
  let next = 0;
  const step = 7_919;
  return (wanted) => Array.from({ length: wanted }, () => (next = (next + step) % count));
}

function growthOf(what) {
  const most = Math.max(...rows.map((row) => row[what]));
  const lines = rows.map((row) => {
    const bar = '█'.repeat(Math.max(1, Math.round((row[what] / most) * 40)));
    return `${row.store.padEnd(11)}${row.agents.toLocaleString('en').padStart(8)}  ${bar} ${row[what].toLocaleString('en')}`;
  });
  return `\n${what} by the number of agents\n${lines.join('\n')}`;
}
