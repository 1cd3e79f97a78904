import { rmSync } from 'node:fs';
import { acquireLock, type ServerOptions } from '@holter/server';
import { DataFolder, realClock } from '@holter/server/local';
import { compile } from '@holter/server/policy';
import { demoWorld } from '@holter/sim';

/** A decision may take six minutes of real time, so that a visitor can make it; all else is the default. */
const ESCALATION_SECONDS = 2 * 3_600;

/** The options of a server that plays a demo: its own folder, its own time, its own agents. */
export async function demoServer(options: ServerOptions): Promise<ServerOptions> {
  const compiled = compile({
    health_monitoring: { intervention: { escalation: { timeout_seconds: ESCALATION_SECONDS } } },
  });
  if (compiled.kind !== 'compiled') throw new Error(JSON.stringify(compiled.problems));
  const dataFolder = `${options.dataFolder}-demo`;
  await forgetLastPlay(dataFolder);
  return {
    ...options,
    dataFolder,
    config: { ...options.config, policies: compiled.policies },
    demo: demoWorld(realClock()),
  };
}

/** A demo's time runs faster than real time, so the data of the last demo would lie in the future. */
async function forgetLastPlay(path: string): Promise<void> {
  const folder = new DataFolder(path);
  folder.prepare();
  const lock = await acquireLock(folder.lockFile);
  // Another server uses the folder; starting will report that.
  if (!lock) return;
  // With the seal, which would otherwise say that a database is missing.
  for (const ending of ['', '-wal', '-shm', '.seal'])
    rmSync(`${folder.databaseFile}${ending}`, { force: true });
  await lock.release();
}
