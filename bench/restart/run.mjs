// From kill -9 of a child to its replacement running with the last state, backoff zero for all.
// node bench/restart/run.mjs [--rounds 15] [--only holter,pm2]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

function begin(name) {
  const folder = mkdtempSync(join(tmpdir(), `bench-${name.replace(' ', '-')}-`));
  const state = join(folder, 'state.json');
  const log = join(folder, 'starts.log');
  const stop = contenders[name](folder, [state, log]);
  return stop && { name, folder, state, log, stop, times: [], lost: 0 };
}

/** One kill, timed by the replacement itself, which reports when it runs with the restored state. */
async function once(entry, round) {
  const { log, state } = entry;
  const last = await waitFor(() => starts(log)[round]);
  // Long enough for each supervisor to count the start as a success.
  await sleep(Math.max(0, last.at + 1_200 - Date.now()));
  const { count } = JSON.parse(readFileSync(state, 'utf8'));
  const killedAt = Date.now();
  process.kill(last.pid, 'SIGKILL');
  const next = await waitFor(() => starts(log)[round + 1]);
  entry.times.push(next.at - killedAt);
  if (next.count < count) entry.lost += 1;
}

async function end({ log, folder, stop }) {
  stop();
  await sleep(500);
  const last = starts(log).at(-1);
  try {
    if (last) process.kill(last.pid, 'SIGKILL');
  } catch {
    // Ended with its supervisor.
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

const entries = names.map(begin).filter(Boolean);
try {
  // In turns, so that other load affects all of them alike.
  for (let round = 0; round < rounds; round++) for (const entry of entries) await once(entry, round);
} finally {
  for (const entry of entries) await end(entry);
}
const results = entries.map(({ name, times, lost }) => {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { name, rounds: times.length, minMs: times[0], p50Ms: at(0.5), p90Ms: at(0.9), maxMs: at(1), lost };
});
console.table(results);
console.log(JSON.stringify({ bench: 'restart', results }));
