// `npm run bench:growth [-- AGENTS …]`: plain heartbeats per second as NDJSON, each from the next agent, as the number
// of agents grows. The first number is what the others are compared with, in turns in the same run: by rate, and by
// CPU time per beat, since other load on the machine affects mainly the rate.

import { loadavg } from 'node:os';
import { startChild } from './child.mjs';

const ROUNDS = 3;
const SECONDS = 4;
const LINES = 5_000;
const BEAT_SECONDS = 300;
const counts = process.argv.slice(2).map(Number);
const load = await startChild('load.mjs', { hasFirst: false });
const fleets = [];
try {
  for (const count of counts.length > 0 ? counts : [1_000, 10_000, 100_000]) {
    const holter = await startChild('holter.mjs', { args: [count, BEAT_SECONDS] });
    fleets.push({ count, holter, rounds: [] });
    // The first beat of each agent after a start reads its record.
    await beatAll(fleets.at(-1), 0.1);
  }
  for (let i = 0; i <= ROUNDS; i += 1)
    for (const fleet of fleets) {
      const round = await beatAll(fleet, SECONDS);
      if (i > 0) fleet.rounds.push(round);
    }
  const first = middle(fleets[0].rounds);
  const rows = [];
  for (const { count, holter, rounds } of fleets) {
    const { perSecond, micros } = middle(rounds);
    const { rss } = await holter.ask('cpu');
    rows.push({
      agents: count,
      'beats/s': Math.round(perSecond),
      'CPU each, µs': micros.toFixed(1),
      [`rate / ${fleets[0].count}`]: (perSecond / first.perSecond).toFixed(2),
      'by CPU': (first.micros / micros).toFixed(2),
      'memory, MiB': Math.round(rss / 2 ** 20),
    });
  }
  console.table(rows);
} finally {
  for (const { holter } of fleets) await holter.stop();
  load.child.kill();
}
console.log(`Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`);

async function beatAll({ count, holter }, seconds) {
  const agents = Array.from({ length: count }, (_, i) => ({ agentId: `agent-${i}` }));
  const { port, tokens } = holter.first;
  const options = { port, token: tokens.operator, agents, connections: 2, seconds, linesPerBody: LINES };
  const before = await holter.cpuSeconds();
  const { perSecond, taken } = await load.ask({ command: 'lines', isPlain: true, ...options });
  return { perSecond, micros: (((await holter.cpuSeconds()) - before) / taken) * 1e6 };
}

function middle(rounds) {
  const of = (key) => rounds.map((each) => each[key]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];
  return { perSecond: of('perSecond'), micros: of('micros') };
}
