import { existsSync } from 'node:fs';
import { lockHolder } from '@holter/server/lock';
import { systemTable } from '@holter/server/process';
import type { Io } from '../terminal/io.ts';
import { linksIn } from '../town/daemon-state.ts';
import { readStateFile } from '../town/state-file.ts';
import { findTown } from '../town/town.ts';
import type { Check } from './check.ts';

/** Of a daemon that ticks every three minutes; a town may say otherwise, but not much longer. */
const SILENT_MS_MAX = 15 * 60_000;

/** Who watches the watcher: only where a daemon was ever started. */
export async function checkChain({ env }: Io, now: () => number): Promise<readonly Check[]> {
  const town = findTown(undefined, env);
  if (!existsSync(town.daemonStateFile)) return [];
  const about = 'daemon';
  const next = `start it: holter daemon --town ${town.path}    or: holter service install --daemon`;
  const pid = lockHolder(town.daemonLockFile)?.pid;
  const isRunning = pid !== undefined && systemTable()?.row(pid) !== null;
  const reading = await readStateFile(town.daemonStateFile, now);
  if (!isRunning) return [{ about, isFine: false, says: `no daemon runs in ${town.path}`, next }];
  if (reading.kind !== 'read')
    return [{ about, isFine: false, says: `${town.daemonStateFile} can't be read`, next }];
  const silentMs = now() - reading.at;
  if (silentMs > SILENT_MS_MAX)
    return [
      {
        about,
        isFine: false,
        says: `the daemon (pid ${pid}) has not ticked for ${Math.round(silentMs / 60_000)} min`,
        next: `see ${town.daemonLogFile}`,
      },
    ];
  const links = linksIn(reading.state);
  const latched = links.filter(({ isLatched }) => isLatched).map(({ name }) => name);
  const down = links.filter(({ downBy }) => downBy !== null).map(({ name }) => name);
  const looksAfter = `looks after ${town.path} (pid ${pid})${down.length > 0 ? `; shut down on purpose: ${down.join(', ')}` : ''}`;
  return [
    {
      about,
      isFine: latched.length === 0,
      says: latched.length === 0 ? looksAfter : `${latched.join(', ')} can't be kept running: a crash loop`,
      next: `see ${town.daemonLogFile}`,
    },
  ];
}
