// From kill -9 of a child to its replacement running with the last state, backoff zero for all.
// node bench/restart/run.mjs [--rounds 15] [--only holter,pm2]
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contenders } from './contenders.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    daemon: { type: 'boolean' },
  },
});
const rounds = Math.min(19, Number(values.rounds));
const names = values.only?.split(',') ?? Object.keys(contenders);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function starts(log) {
  try {
    return readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

async function waitFor(look, ms = 30_000) {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(2)) {
    const found = look();
    if (found) return found;
  }
  throw new Error('nothing came up in time');
}

async function measure(name) {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name.replace(' ', '-')}-`));
  mkdirSync(folder, { recursive: true });
  const state = join(folder, 'state.json');
  const log = join(folder, 'starts.log');
  const stop = contenders[name](folder, [state, log]);
  if (!stop) return null;
  const times = [];
  let lost = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const last = await waitFor(() => starts(log)[round]);
      // Long enough that each supervisor takes the start for a success.
      await sleep(1_200);
      const { count } = JSON.parse(readFileSync(state, 'utf8'));
      const killedAt = Date.now();
      process.kill(last.pid, 'SIGKILL');
      const next = await waitFor(() => starts(log)[round + 1]);
      times.push(next.at - killedAt);
      if (next.count < count) lost += 1;
    }
  } finally {
    stop();
    await sleep(500);
    const last = starts(log).at(-1);
    try {
      if (last) process.kill(last.pid, 'SIGKILL');
    } catch {
      // Ended with its supervisor.
    }
    if (!process.env.BENCH_KEEP)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { name, rounds: times.length, minMs: times[0], p50Ms: at(0.5), p90Ms: at(0.9), maxMs: at(1), lost };
}

const results = [];
for (const name of names) {
  const result = await measure(name).catch((error) => ({ name, error: error.message }));
  if (result) results.push(result);
}
console.table(results);
console.log(JSON.stringify({ bench: 'restart', results }));
