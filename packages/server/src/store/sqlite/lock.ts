import { rmSync } from 'node:fs';
import type { Instant } from '@holter/core';
import Database from 'libsql';
import { readSettingsFile, writeSettingsFile } from '../../files/index.ts';
import { faultOf } from './faults.ts';

/** The holder of a lock, as written by the holder. */
type LockHolder = { readonly pid: number; readonly since?: Instant };

export type EngineLock = { release(): void };

/**
 * Ensures one engine per data folder. Node has no flock, but SQLite locks files reliably on every system: an
 * exclusive transaction on a small database, never committed, ends with its process however that dies. A pid file
 * would stay behind, and its pid might belong to another process by then.
 *
 * Null when another process holds the lock; `lockHolder` names it. Nothing else in this process may open and close
 * the lock file: POSIX drops a process's locks on a file when it closes any descriptor of that file.
 */
export async function acquireLock(
  file: string,
  holder: LockHolder = { pid: process.pid },
): Promise<EngineLock | null> {
  let database: Database.Database | null = null;
  try {
    database = new Database(file);
    // Exclusive mode shuts out readers too, in any journal mode. Waiting for the lock would be pointless.
    database.exec('pragma busy_timeout = 0');
    database.exec('begin exclusive');
    writeSettingsFile(holderFile(file), JSON.stringify(holder));
  } catch (error) {
    database?.close();
    const fault = faultOf(error, file);
    if (fault?.code === 'locked') return null;
    throw fault ?? error;
  }
  const held = database;
  return {
    release: () => {
      if (!held.open) return;
      // Nobody else writes it while the lock is held.
      rmSync(holderFile(file), { force: true });
      held.close();
    },
  };
}

/** For display only: it may be out of date, or name a process that is gone. */
export function lockHolder(file: string): LockHolder | null {
  try {
    const { pid, since } = JSON.parse(readSettingsFile(holderFile(file))) as Partial<LockHolder>;
    if (typeof pid !== 'number') return null;
    return { pid, ...(typeof since === 'number' && { since }) };
  } catch {
    return null;
  }
}

const holderFile = (file: string): string => `${file}.json`;
