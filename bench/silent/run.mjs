// `npm run bench:silent [-- AGENTS …]`: many agents beat, then all fall silent at once. How long after its own deadline
// each is flagged, how long after the first the last one, how late the ticks were, and what /health took meanwhile.
// Server and load are processes of their own, loopback only. Three minutes for each number.

import { cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../server/child.mjs';
import { Connection, requestBytes } from '../server/connection.mjs';
import { beatAll } from './beat-all.mjs';

/** Core's default: a beat is missed when it is a quarter of its interval late. */
const SLACK_SHARE = 0.25;
/** The role `critical-infrastructure`: after so many missed beats an agent counts as lost. */
const MISSED_MAX = 2;
/** A start counts as a stall, whose grace would add to the deadline: the last beat comes after both. */
const EVERY_SECONDS = 60;
const GIVE_UP_MS = 300_000;

const counts = process.argv.slice(2).map(Number);
const rows = [];
for (const count of counts.length > 0 ? counts : [1_000, 10_000, 20_000, 50_000]) await measure(count);
console.table(rows);
console.log(`Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}`);

async function measure(count) {
  const holter = await startChild('holter.mjs', { args: [count, EVERY_SECONDS] });
  const { port, tokens } = holter.first;
  const flags = listen(port, tokens.viewer);
  try {
    const agentIds = Array.from({ length: count }, (_, i) => `agent-${i}`);
    // The first beat after a start reads the record. The last beats are to be close together, so they come after it.
    await beatAll(port, tokens.operator, agentIds);
    const beatenAt = await beatAll(port, tokens.operator, agentIds);
    const beats = [...beatenAt.values()];
    for (const [stage, misses] of [
      ['missed a beat', 1],
      ['lost', MISSED_MAX],
    ]) {
      const watch = watchTicks(port);
      const cpuBefore = await holter.cpuSeconds();
      const limitMs = (misses + SLACK_SHARE) * EVERY_SECONDS * 1_000;
      const seenAt = await waitForAll(flags[stage], count);
      const times = [...seenAt.values()];
      const late = [...seenAt].map(([agentId, at]) => at - beatenAt.get(agentId) - limitMs);
      const { tickLagMs, healthMs, health } = await watch.end();
      rows.push({
        agents: count,
        stage,
        'first after its deadline, s': seconds(Math.min(...times) - Math.min(...beats) - limitMs),
        'last after the first, s': seconds(Math.max(...times) - Math.min(...times)),
        'each after its own deadline, p50 / p99 / max, s': [0.5, 0.99, 1]
          .map((p) => seconds(share(late, p)))
          .join(' / '),
        'beats spread over, s': seconds(Math.max(...beats) - Math.min(...beats)),
        missing: count - seenAt.size,
        'latest tick, ms': Math.round(tickLagMs),
        stalls: health.stallCount,
        '/health at most, ms': Math.round(healthMs),
        brake: health.brakes.join(' ') || 'no',
        'CPU, s': seconds(((await holter.cpuSeconds()) - cpuBefore) * 1_000),
      });
      console.log(JSON.stringify(rows.at(-1)));
    }
  } finally {
    flags.close();
    await holter.stop();
  }
}

async function waitForAll(seenAt, count) {
  const until = Date.now() + GIVE_UP_MS;
  while (seenAt.size < count && Date.now() < until) await sleep(100);
  return seenAt;
}

/** When the event came about each agent, not when it says that it happened. */
function listen(port, token) {
  const flags = { 'missed a beat': new Map(), lost: new Map() };
  const connection = new Connection(port);
  let rest = '';
  connection.look = () => {
    rest += connection.rest;
    connection.rest = '';
    const frames = rest.split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (!data) continue;
      const { agentId, type } = JSON.parse(data);
      const seenAt = flags[type === 'LIVENESS_CHANGED' ? 'lost' : 'missed a beat'];
      if (!seenAt.has(agentId)) seenAt.set(agentId, Date.now());
    }
  };
  connection.socket.write(
    `GET /v1/events?type=HEALTH_STATE_CHANGED,LIVENESS_CHANGED HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  return { ...flags, close: () => connection.close() };
}

function watchTicks(port) {
  const connection = new Connection(port);
  const seen = { tickLagMs: 0, healthMs: 0, health: null };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const from = performance.now();
      const { body } = await connection.ask(requestBytes('GET', '/health'));
      seen.healthMs = Math.max(seen.healthMs, performance.now() - from);
      seen.health = JSON.parse(body);
      seen.tickLagMs = Math.max(seen.tickLagMs, seen.health.tickLagMs);
      await sleep(50);
    }
    connection.close();
  })();
  return {
    end: async () => {
      isOver = true;
      await watching;
      return seen;
    },
  };
}

function share(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function seconds(ms) {
  return Number((ms / 1_000).toFixed(1));
}
