// A real Holter in a process of its own, on a free port of this machine, with a database on disk. It says
// over IPC where it listens and what CPU time it has used. usage: holter.mjs [AGENTS BEAT_SECONDS], already registered;
// BENCH_DATABASE is the address of a PostgreSQL instead of the database on disk.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, loadConfig, startServer } from '../../packages/server/dist/index.js';
import { seed } from './seed.mjs';

const dataFolder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'holter-bench-server-'));
const [count, beatEverySeconds] = process.argv.slice(2).map(Number);
if (count > 0) await seed(join(dataFolder, 'holter.db'), { count, beatEverySeconds });
const loaded = loadConfig(null);
const logger = createLogger({ write: (text) => process.stderr.write(text), isPretty: false, level: 'error' });
const server = await startServer({
  dataFolder,
  config: loaded.config,
  version: 'bench',
  logger,
  port: 0,
  ...(process.env.BENCH_DATABASE && { database: process.env.BENCH_DATABASE }),
});
const token = (role) => readFileSync(join(dataFolder, `${role}.token`), 'utf8').trim();

process.on('message', async (message) => {
  if (message === 'cpu') process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
  if (message === 'stop') {
    await server.stop();
    rmSync(dataFolder, { recursive: true });
    process.exit(0);
  }
});
process.send({
  port: Number(new URL(server.url).port),
  tokens: { operator: token('operator'), enroll: token('enroll'), viewer: token('viewer') },
});
