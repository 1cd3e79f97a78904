// `npm run bench:server`: what a whole Holter does over HTTP, beside a bare node:http server that gives the
// same answer. One run, about a minute, loopback only. Server, bare server and load are processes of their own;
// CPU time per request is given beside the rate, since other load on the machine affects mainly the rate.

import { cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { enrollTokens, startChild } from './child.mjs';

const AGENTS = 1_000;
const IDLE_AGENTS = 10_000;
const ROUNDS = 3;
const ROUND_SECONDS = 2.5;

const rows = [];
const say = (what, measured, goal, isMet, limit) =>
  rows.push({ what, measured, goal, met: isMet ? 'yes' : 'no', 'limited by': limit });
const round = (n, digits = 0) => Number(n.toFixed(digits)).toLocaleString('en');

const load = await startChild('load.mjs', { hasFirst: false });
const holter = await startChild('holter.mjs');
const bare = await startChild('bare.mjs');
const { tokens, port } = holter.first;

try {
  const agents = await registerAgents('agent', AGENTS, { beatEverySeconds: 300 });
  await beatsBesideBare(agents);
  await batches(agents);
  await latencies(agents);
  await transitionsByTime();
  await idle();
} finally {
  for (const child of [holter, bare]) await child.stop();
  load.child.kill();
}
console.table(rows);
const [cpu] = cpus();
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}, load average ${round(loadavg()[0], 1)}`,
);

async function beatsBesideBare(agents) {
  // Warm up both: a server runs for weeks, but in its first seconds the compiler is busy.
  for (const server of [bare, holter])
    await load.ask({
      command: 'beats',
      port: server.first.port,
      agents,
      connections: 64,
      seconds: 6,
      count: 20_000,
    });
  const rates = { bare: [], holter: [] };
  const cost = { bare: [], holter: [] };
  // In turns, so that other load on the machine affects both.
  for (let i = 0; i < ROUNDS; i += 1) {
    for (const [name, server] of Object.entries({ bare, holter })) {
      const before = await server.cpuSeconds();
      const { perSecond } = await load.ask({
        command: 'beats',
        port: server.first.port,
        agents,
        connections: 64,
        seconds: ROUND_SECONDS,
      });
      rates[name].push(perSecond);
      cost[name].push(((await server.cpuSeconds()) - before) / (perSecond * ROUND_SECONDS));
    }
  }
  const [bareRate, rate] = [middle(rates.bare), middle(rates.holter)];
  const [bareCost, ownCost] = [middle(cost.bare) * 1e6, middle(cost.holter) * 1e6];
  say(
    'bare node:http, requests/s',
    `${round(bareRate)} (${round(bareCost)} µs CPU each)`,
    '',
    true,
    'the load, and HTTP itself',
  );
  say(
    'heartbeats/s, one per request',
    `${round(rate)} (${round(ownCost)} µs CPU each)`,
    '',
    true,
    'one thread: a third is writev, a quarter Node, 8 % fastify',
  );
  say(
    'ratio to bare',
    `${round(rate / bareRate, 2)} (by CPU ${round(bareCost / ownCost, 2)})`,
    '≥ 0.5',
    rate / bareRate >= 0.5,
    'the last quarter: JSON, checks, token, fold',
  );
}

async function batches(agents) {
  const before = await holter.cpuSeconds();
  const startedAt = performance.now();
  const { perSecond } = await load.ask({
    command: 'lines',
    port,
    token: tokens.operator,
    agents,
    connections: 2,
    seconds: 5,
    linesPerBody: 20_000,
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const micros = (((await holter.cpuSeconds()) - before) / (perSecond * seconds)) * 1e6;
  say(
    'signals/s as NDJSON',
    `${round(perSecond)} (${round(micros, 1)} µs CPU each)`,
    '≥ 100,000',
    perSecond >= 100_000,
    'one thread: checkSignal, fold, JSON.parse',
  );
}

async function latencies(agents) {
  const { beat, health, transition, missed } = await load.ask({
    command: 'latencies',
    port,
    agents,
    viewer: tokens.viewer,
    perSecond: 1_000,
    seconds: 8,
  });
  const ms = ({ p50, p99, max }) => `p50 ${round(p50, 1)}, p99 ${round(p99, 1)}, max ${round(max, 1)} ms`;
  const pacing = missed > 0 ? `; ${missed} not sent in time` : '';
  say(
    `health check, ${round(AGENTS)} agents beating 1,000/s`,
    ms(health),
    'p99 < 100 ms',
    health.p99 < 100,
    'the event loop',
  );
  say('heartbeat, same load', ms(beat) + pacing, 'p99 < 50 ms', beat.p99 < 50, 'the event loop');
  say(
    'transition by a signal, until a listener has it',
    ms(transition),
    'p99 < 1 s',
    transition.p99 < 1_000,
    'one fsync, then 25 ms of gathering',
  );
}

async function transitionsByTime() {
  const silent = await load.ask({
    command: 'byTime',
    port,
    viewer: tokens.viewer,
    tokens: await enrollTokens(holter.first, 4),
    count: 200,
  });
  const { p50, p99, max } = silent;
  say(
    'transition by time, after the earliest of 200',
    `p50 ${round(p50)}, p99 ${round(p99)}, max ${round(max)} ms`,
    'one tick + 250 ms',
    p99 <= 1_250,
    'the tick of one second',
  );
}

async function idle() {
  const agents = await registerAgents('idle', IDLE_AGENTS, { beatEverySeconds: 30 });
  // The first beat of an agent is committed as a hard fact; this measures the steady state.
  await load.ask({ command: 'idle', port, agents, seconds: 6, intervalSeconds: 4 });
  const before = await holter.cpuSeconds();
  const startedAt = performance.now();
  const { sent } = await load.ask({ command: 'idle', port, agents, seconds: 10, intervalSeconds: 30 });
  const seconds = (performance.now() - startedAt) / 1_000;
  const share = ((await holter.cpuSeconds()) - before) / seconds;
  const { rss } = await holter.ask('cpu');
  say(
    `${round(IDLE_AGENTS)} agents at 30 s beats`,
    `${round(share * 100, 1)} % of one core, ${round(rss / 2 ** 20)} MiB`,
    '',
    true,
    `${round(sent / seconds)} requests/s, and as many looks, which write down only when to look again`,
  );
}

async function registerAgents(prefix, count, promises) {
  const { agents } = await load.ask({
    command: 'register',
    port,
    tokens: await enrollTokens(holter.first, Math.ceil(count / 500)),
    prefix,
    count,
    promises,
  });
  return agents;
}

function middle(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
