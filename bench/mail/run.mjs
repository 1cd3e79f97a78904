// `npm run bench:mail [-- postgres]`: 10,000 boxes with a million letters, on SQLite or PostgreSQL. How long a list of
// 25 letters and an unread count take over HTTP: for an operator, and for 10,000 agents that each poll every 30 s. Their
// calls start at their times, whether earlier ones have been answered or not, and are timed from then. Exit 1 when p99
// of one of these is above 20 ms. The lines with eight callers at a time show how many calls a second the machine can
// take; there, callers wait for each other. Beside each call goes one to /ready, which does nothing: on a busy machine
// both are slow, and only what is above it is Holter's. The server runs in a process of its own, and tells how long its
// event loop and its garbage collection made others wait.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import Database from 'libsql';
import pg from 'pg';
import { createLogger, loadConfig, startServer } from '../../packages/server/dist/index.js';
import { startPostgres } from '../../scripts/postgres.mjs';

const BOXES = Number(process.env.BOXES ?? 10_000);
const LETTERS_EACH = Number(process.env.LETTERS_EACH ?? 100);
const CALLS = Number(process.env.CALLS ?? 5_000);
const POLLS_PER_SECOND = BOXES / 30;
const P99_MS_MAX = 20;

const isPostgres = process.argv.includes('postgres');
const isServer = process.env.BENCH_MAIL_FOLDER !== undefined;
const dataFolder =
  process.env.BENCH_MAIL_FOLDER ??
  mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'holter-bench-mail-'));
const token = (role) => readFileSync(join(dataFolder, `${role}.token`), 'utf8').trim();

async function serve() {
  const config = `quotas: { per_token: { requests_per_second: 100000, agents: ${BOXES} } }`;
  const loaded = loadConfig('holter.yaml', () => config);
  if (loaded.kind !== 'loaded') throw new Error(JSON.stringify(loaded.problems));
  const logger = createLogger({
    write: (text) => process.stderr.write(text),
    isPretty: false,
    level: 'error',
  });
  const { url, stop } = await startServer({
    dataFolder,
    config: loaded.config,
    version: 'bench',
    logger,
    port: 0,
    isRestoreAccepted: true,
    ...(process.env.BENCH_MAIL_DATABASE && { database: process.env.BENCH_MAIL_DATABASE }),
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs = Math.max(collectedMs, duration);
  }).observe({ entryTypes: ['gc'] });
  process.on('message', (word) => {
    if (word === 'stop') return stop().then(() => process.exit(0));
    // Less the resolution, with which it waits itself.
    process.send({ loopMs: delay.percentile(99) / 1e6 - 5, collectedMs });
    delay.reset();
    collectedMs = 0;
  });
  process.send(url);
}

async function start() {
  const env = {
    ...process.env,
    BENCH_MAIL_FOLDER: dataFolder,
    ...(database && { BENCH_MAIL_DATABASE: database.url() }),
  };
  const child = fork(new URL(import.meta.url), { env });
  const [url] = await once(child, 'message');
  const stop = async () => {
    child.send('stop');
    await once(child, 'exit');
  };
  const strain = async () => {
    child.send('strain');
    return (await once(child, 'message'))[0];
  };
  return { url, stop, strain };
}

let server;
let database = null;

async function call(method, path, secret, body) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Runs the task for every index, so many at a time. */
async function each(count, atOnce, task) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const nameOf = (index) => `agent-${index}`;
const boxOf = (index) => (index * 7_919) % BOXES;
const tokens = [];
let isSlow = false;

/** Runs the task for every index, so many a second. A task is given the time at which it should have started. */
async function eachAtRate(count, perSecond, task) {
  const from = performance.now();
  const running = [];
  while (running.length < count) {
    const dueAt = from + (running.length * 1_000) / perSecond;
    if (dueAt > performance.now()) await setTimeout(dueAt - performance.now());
    else running.push(task(running.length, dueAt));
  }
  await Promise.all(running);
}

/** With `atOnce` null, at the rate at which all agents poll. */
async function measure(what, atOnce, task) {
  await each(200, atOnce ?? 1, task);
  await server.strain();
  const times = [];
  const idle = [];
  const timed = async (into, call, at = performance.now()) => {
    await call();
    into.push(performance.now() - at);
  };
  const both = async (index, dueAt) => {
    await timed(times, () => task(index), dueAt);
    await timed(idle, () => call('GET', '/ready', ''));
  };
  const startedAt = performance.now();
  await (atOnce === null ? eachAtRate(CALLS, POLLS_PER_SECOND, both) : each(CALLS, atOnce, both));
  const perSecond = (CALLS * 1_000) / (performance.now() - startedAt);
  const { loopMs, collectedMs } = await server.strain();
  const [own, ready] = [times, idle].map((all) => all.sort((left, right) => left - right));
  const at = (all, share) => all[Math.floor(all.length * share)];
  const ms = (value) => `${value.toFixed(1)} ms`.padStart(8);
  const p99 = at(own, 0.99);
  const columns = [
    what.padEnd(40),
    `${perSecond.toFixed(0).padStart(5)}/s`,
    `p50 ${ms(at(own, 0.5))}  p99 ${ms(p99)}  max ${ms(at(own, 0.9999))}`,
    `/ready p99 ${ms(at(ready, 0.99))} (${(p99 / at(ready, 0.99)).toFixed(1)}x)`,
    `loop p99 ${ms(loopMs)}  gc max ${ms(collectedMs)}  load ${loadavg()[0].toFixed(1)}`,
  ];
  console.log(columns.join('  '));
  const isSaturated = atOnce !== null && atOnce > 1;
  if (!isSaturated && p99 > P99_MS_MAX) isSlow = true;
}

const content = JSON.stringify({ type: 'task', message: 'Please complete X. '.repeat(25) });
const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const SENT_AT = 1_700_000_000_000;

function fillSqlite() {
  const file = new Database(join(dataFolder, 'holter.db'));
  const insert = file.prepare(
    `insert into letters (letter_id, sender, recipient, subject, priority, passed, is_verified, sent_at, read_at, content)
   values (?, ?, ?, 'Task assignment', ?, '[]', 1, ?, ?, ?)`,
  );
  for (let round = 0; round < LETTERS_EACH; round += 1) {
    file.exec('begin');
    for (let box = 0; box < BOXES; box += 1)
      insert.run([
        `msg-${round}-${box}`,
        nameOf((box * 7 + round) % BOXES),
        nameOf(box),
        PRIORITIES[round % 4],
        SENT_AT + round,
        round % 3 === 0 ? null : SENT_AT,
        content,
      ]);
    file.exec('commit');
  }
  file.close();
}

async function fillPostgres() {
  const client = new pg.Client({ connectionString: database.url() });
  await client.connect();
  await client.query(
    `insert into letters (letter_id, sender, recipient, subject, priority, passed, is_verified, sent_at, read_at, content)
   select 'msg-' || round || '-' || box, 'agent-' || (box * 7 + round) % $1::int, 'agent-' || box, 'Task assignment',
     (array['urgent', 'high', 'normal', 'low'])[round % 4 + 1], '[]', 1, $3::float8 + round,
     case when round % 3 = 0 then null else $3::float8 end, $4
   from generate_series(0, $2::int - 1) round, generate_series(0, $1::int - 1) box order by round`,
    [BOXES, LETTERS_EACH, SENT_AT, content],
  );
  await client.query('vacuum analyze letters');
  await client.end();
}

async function main() {
  if (isPostgres) {
    database = await startPostgres({ isDurable: true });
    if (database === null) throw new Error('PostgreSQL is not installed');
  }
  server = await start();
  await each(BOXES, 32, async (index) => {
    const body = { agentId: nameOf(index), instanceId: 'i', promises: { beatEverySeconds: 3600 } };
    tokens[index] = (await call('POST', '/v1/agents', token('operator'), body)).token;
  });
  await server.stop();

  if (isPostgres) await fillPostgres();
  else fillSqlite();

  server = await start();

  const operator = token('operator');
  console.log(`${BOXES} boxes, ${BOXES * LETTERS_EACH} letters, ${isPostgres ? 'PostgreSQL' : 'SQLite'}`);
  await measure('list, operator, one at a time', 1, (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}`, operator),
  );
  await measure('unread list, operator, one at a time', 1, (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}&status=unread`, operator),
  );
  await measure('unread count, operator, one at a time', 1, (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}&action=unread-count`, operator),
  );
  await measure('unacknowledged, operator, one at a time', 1, (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}&action=sent&status=unacknowledged`, operator),
  );
  const listOwn = (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}&status=unread`, tokens[boxOf(index)]);
  const countOwn = (index) =>
    call('GET', `/api/messages?agent=${nameOf(boxOf(index))}&action=unread-count`, tokens[boxOf(index)]);
  await measure('unread list, every agent each 30 s', null, listOwn);
  await measure('unread count, every agent each 30 s', null, countOwn);
  // Boxes that nobody has opened yet.
  await measure('unread list, 8 agents at a time', 8, (index) => listOwn(index + CALLS));
  await measure('unread count, 8 agents at a time', 8, countOwn);
  await measure('send, 8 agents at a time', 8, (index) => {
    const from = nameOf(boxOf(index));
    const body = { from, to: nameOf(boxOf(index + 1)), subject: 's', content: { type: 't', message: 'm' } };
    return call('POST', '/api/messages', tokens[boxOf(index)], body);
  });
  await server.stop();
  await database?.dispose();
  rmSync(dataFolder, { recursive: true });
  if (isSlow) {
    console.log(`p99 is above ${P99_MS_MAX} ms`);
    process.exitCode = 1;
  }
}

await (isServer ? serve() : main());
