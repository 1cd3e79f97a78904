// quick-daemon.mjs OPTIONS: the daemon, for the server alone, with the settings of OPTIONS (JSON). Its long waits end
// when a line on its standard input says by how many milliseconds time goes on.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DataFolder, realClock, systemTable } from '@holter/server/process';
import { runDaemon } from '../../packages/holter/dist/daemon/run-daemon.js';
import { Town } from '../../packages/holter/dist/town/town.js';

const { settings, startCommand } = JSON.parse(process.argv[2]);
const { HOME } = process.env;
const real = realClock();
const SHORT_MS = 5_000;
const waiting = new Set();
let passedMs = 0;
const now = () => real.now() + passedMs;
/** Waits for other processes are real; the time from one tick to the next passes on demand. */
const clock = {
  now,
  after: (ms, callback) => {
    if (ms < SHORT_MS) return real.after(ms, callback);
    const wait = { at: now() + ms, callback };
    waiting.add(wait);
    return () => waiting.delete(wait);
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  passedMs += Number(line);
  for (const wait of [...waiting].filter(({ at }) => at <= now())) {
    waiting.delete(wait);
    wait.callback();
  }
});
const unknown = async () => ({ at: clock.now(), process: null, state: 'unknown', cpuMs: null, tick: null });
const noHand = { look: unknown, stop: async () => 'not here', start: async () => undefined };

await runDaemon({
  town: new Town(join(HOME, 'town')),
  folder: new DataFolder(join(HOME, 'data')),
  clock,
  table: systemTable(),
  env: process.env,
  workingDirectory: HOME,
  settings,
  hands: { boot: noHand, deacon: noHand, members: new Map() },
  duties: {
    see: async () => ({ isBootRunning: true, triage: null, lifecycle: [] }),
    triage: async () => undefined,
    handOver: async () => undefined,
  },
  answerMs: 2_000,
  isOnce: false,
  onStop: (stop) => process.on('SIGTERM', stop),
  print: (line) => process.stderr.write(`${line}\n`),
  ...(startCommand && {
    startServer: async () => {
      const { status } = spawnSync('sh', ['-c', startCommand]);
      if (status !== 0) throw new Error(`exit code ${status}`);
    },
  }),
});
