// quick-daemon.mjs OPTIONS: the daemon, for the server alone, with the times of OPTIONS (JSON) instead of minutes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DataFolder, realClock, systemTable } from '@holter/server/process';
import { runDaemon } from '../../packages/holter/dist/daemon/run-daemon.js';
import { Town } from '../../packages/holter/dist/town/town.js';

const { settings, startCommand } = JSON.parse(process.argv[2]);
const { HOME } = process.env;
const clock = realClock();
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
  hands: { boot: noHand, deacon: noHand },
  duties: {
    see: async () => ({ isBootRunning: true, triage: null, members: [] }),
    act: async () => undefined,
  },
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
