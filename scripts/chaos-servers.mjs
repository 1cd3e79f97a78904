// `npm run chaos:servers [-- --minutes 10 --clients 500 --processes 25]`: three servers as real processes over one
// PostgreSQL, clients in real processes, and faults (chaos/faults.mjs): servers are killed and stopped, PostgreSQL is
// killed and started again, its disk is slow, and proxies before PostgreSQL and before each server drop and delay.
// Afterwards the event log is compared with what the clients were told. `npm run chaos:pgbouncer` puts pgbouncer
// before PostgreSQL; `npm run chaos:failover` has a standby, and only faults of the database (chaos/databases.mjs).

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { check } from './chaos/check.mjs';
import { openDirectly, openThroughPgbouncer, openWithStandby } from './chaos/databases.mjs';
import { faultsOf } from './chaos/faults.mjs';
import { FaultyLink } from './chaos/faulty-link.mjs';
import { slowDisk } from './chaos/slow-disk.mjs';
import { startPostgres } from './postgres.mjs';
import { root, setup } from './setup.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '500' },
    processes: { type: 'string', default: '25' },
    pgbouncer: { type: 'boolean', default: false },
    failover: { type: 'boolean', default: false },
  },
});
const minutes = Number(options.minutes);
const clients = Number(options.clients);
const processes = Math.min(clients, Number(options.processes));
const SERVERS = 3;
/** The last part is free of faults, so that everything can come to an end. */
const HEALING_MS = 45_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const between = (min, max) => min + Math.random() * (max - min);
const begunAt = Date.now();
const say = (text) => console.log(`${((Date.now() - begunAt) / 1_000).toFixed(1).padStart(7)} s  ${text}`);

if (!setup()) process.exit(1);
const disk = slowDisk();
const postgres = await startPostgres({ isDurable: true, env: disk?.env ?? {} });
if (!postgres) {
  console.error('PostgreSQL is not installed.');
  process.exit(1);
}
const open = options.failover ? openWithStandby : options.pgbouncer ? openThroughPgbouncer : openDirectly;
const database = await open(postgres);
const folder = mkdtempSync(join(tmpdir(), 'holter-chaos-'));
const servers = [];
const told = [];
const outages = [];
const faults = [];
const struck = {};

async function startServer(server) {
  const data = join(folder, `server-${server.number}`);
  const args = [
    'up',
    '--data',
    data,
    '--port',
    String(server.port),
    '--database',
    addressThrough(server.databaseLink),
    '--log-level',
    'warn',
  ];
  const child = spawn(process.execPath, [join(root, 'packages/holter/dist/main.js'), ...args], {
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.child = child;
  createInterface(child.stderr).on('line', (line) => {
    if (/a bug in Holter|unhandled/i.test(line)) server.bugs.push(line);
  });
  const exited = once(child, 'exit').then(() => false);
  const lines = createInterface(child.stdout);
  const listening = new Promise((resolve) => {
    lines.on('line', (line) => line.includes(String(server.port)) && resolve(true));
  });
  return Promise.race([listening, exited]);
}

function addressThrough({ port }) {
  const address = new URL(postgres.url());
  address.port = String(port);
  return address.href;
}

async function restart(server) {
  while (!(await startServer(server))) await pause(1_000);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function makeFaults(until) {
  const noteFault = () => faults.push(Date.now());
  const faultKinds = {
    ...database.faultsOf({ servers, outages, say }),
    ...(options.failover ? {} : faultsOf({ servers, postgres, disk, restart, noteFault, outages, say })),
  };
  const kinds = Object.keys(faultKinds);
  for (let turn = 0; Date.now() < until; turn++) {
    // Each kind in turn in the beginning, so that a short run has all of them.
    const kind = turn < kinds.length ? kinds[turn] : kinds[Math.floor(Math.random() * kinds.length)];
    say(kind);
    struck[kind] = (struck[kind] ?? 0) + 1;
    await faultKinds[kind]();
    await pause(between(3_000, 8_000));
  }
}

async function readLog(server) {
  const token = readFileSync(join(folder, `server-${server.number}`, 'viewer.token'), 'utf8').trim();
  const log = [];
  for (let after = 0; ; ) {
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/events?limit=500&after=${after}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const { events } = await response.json();
    log.push(...events);
    if (events.length === 0) return log;
    after = Math.max(...events.map(({ cursor }) => cursor));
  }
}

let isPassed = false;
try {
  for (let number = 1; number <= SERVERS; number++) {
    const server = { number, port: await freePort(), bugs: [], child: null };
    server.link = new FaultyLink(() => server.port);
    server.databaseLink = new FaultyLink(() => database.port);
    await Promise.all([server.link.listen(), server.databaseLink.listen()]);
    servers.push(server);
    if (!(await startServer(server))) throw new Error(`server ${number} does not start`);
  }
  if (!disk) say('no C compiler: the disk stays fast');
  say(`${SERVERS} servers; ${clients} clients in ${processes} processes; ${minutes} minutes`);
  const token = (role) => readFileSync(join(folder, 'server-1', `${role}.token`), 'utf8').trim();
  const children = [];
  for (let index = 0; index < processes; index++) {
    const first = Math.floor((clients * index) / processes);
    const count = Math.floor((clients * (index + 1)) / processes) - first;
    const ports = servers.map(({ link }) => link.port);
    const given = { first, count, ports, enrollToken: token('enroll'), operatorToken: token('operator') };
    const child = fork(new URL('./chaos/client.mjs', import.meta.url), [JSON.stringify(given)]);
    child.on('message', (lines) => {
      for (const line of lines) told.push(line);
    });
    children.push(child);
  }
  const end = Date.now() + minutes * 60_000 - HEALING_MS;
  await pause(10_000);
  const silence = setTimeout(
    () => {
      // Then everybody beats all the time, and no accusation is right.
      if (options.failover) return;
      say('one in ten agents falls silent');
      for (const child of children) child.send('silence');
    },
    (end - Date.now()) / 2,
  );
  await makeFaults(end);
  clearTimeout(silence);
  say('no more faults');
  await pause(HEALING_MS);
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.send('stop');
  await Promise.all(exits);
  await pause(3_000);
  const logs = await Promise.all(servers.map(readLog));
  const { problems, figures } = check({ log: logs[0], told, outages, faults });
  if (options.failover && figures.accusations > 0) problems.push(`${figures.accusations} accusations`);
  // Events that came while the logs were read are in some of them.
  const length = Math.min(...logs.map((log) => log.length));
  const [first, ...others] = logs.map((log) => JSON.stringify(log.slice(0, length)));
  for (const [index, other] of others.entries())
    if (other !== first) problems.push(`server ${index + 2} has another log`);
  for (const { number, bugs } of servers) for (const bug of bugs) problems.push(`server ${number}: ${bug}`);
  console.log(`\nfaults: ${JSON.stringify(struck)}`);
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  for (const problem of problems.slice(0, 40)) console.log(`PROBLEM: ${problem}`);
  isPassed = problems.length === 0;
  console.log(isPassed ? 'passed' : `${problems.length} problems`);
} finally {
  for (const { child, link, databaseLink } of servers) {
    child?.kill('SIGKILL');
    link.close();
    databaseLink.close();
  }
  await database.dispose();
  disk?.dispose();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(isPassed ? 0 : 1);
