// quick-daemon.mjs SETTINGS: the daemon with the times of SETTINGS (JSON) instead of minutes.
import { join } from 'node:path';
import { DataFolder, realClock, systemTable } from '@holter/server/process';
import { runDaemon } from '../../packages/holter/dist/daemon/run-daemon.js';
import { Town } from '../../packages/holter/dist/town/town.js';

const { settings, starts } = JSON.parse(process.argv[2]);
const { HOME } = process.env;
const { spawnSync } = await import('node:child_process');
await runDaemon({
  town: new Town(join(HOME, 'town')),
  folder: new DataFolder(join(HOME, 'data')),
  clock: realClock(),
  table: systemTable(),
  env: process.env,
  workingDirectory: HOME,
  settings,
  isOnce: false,
  onStop: (stop) => process.on('SIGTERM', stop),
  print: (line) => process.stderr.write(`${line}\n`),
  ...(starts && {
    startServer: async () => {
      const { status, stderr } = spawnSync('sh', ['-c', starts], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`exit code ${status}${stderr}`);
    },
  }),
});
