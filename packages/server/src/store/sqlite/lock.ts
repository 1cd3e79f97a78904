import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Instant } from '@holter/core';
import Database from 'libsql';
import { faultOf } from './faults.ts';

/** Who holds a lock, as it said itself. */
type LockHolder = { readonly pid: number; readonly since?: Instant };

export type EngineLock = { release(): void };

/**
 * One engine per data folder. Node has no flock, but SQLite locks files properly on every system: an
 * exclusive transaction on a small database, which is never committed, dies with its process however that
 * ends. A file with a pid would not: it stays behind, and the pid may be another process by then.
 *
 * Null when somebody else holds it; `lockHolder` says who. Nobody else in this process may open and close
 * the lock's file: POSIX drops the locks of a process with the first descriptor that it closes.
 */
export async function acquireLock(
  file: string,
  holder: LockHolder = { pid: process.pid },
): Promise<EngineLock | null> {
  let database: Database.Database | null = null;
  try {
    database = new Database(file);
    // Readers are shut out as well, whatever the journal: nobody else gets in, and waiting makes no sense.
    database.exec('pragma busy_timeout = 0');
    database.exec('begin exclusive');
    writeHolder(file, holder);
  } catch (error) {
    database?.close();
    const fault = faultOf(error, file);
    if (fault?.code === 'locked') return null;
    throw fault ?? error;
  }
  const held = database;
  return {
    release: () => {
      if (held.open) held.close();
    },
  };
}

/** Only to be told to people: it may be a moment old, or from a process that is gone. */
export function lockHolder(file: string): LockHolder | null {
  try {
    const { pid, since } = JSON.parse(readFileSync(holderFile(file), 'utf8')) as Partial<LockHolder>;
    if (typeof pid !== 'number') return null;
    return { pid, ...(typeof since === 'number' && { since }) };
  } catch {
    return null;
  }
}

const holderFile = (file: string): string => `${file}.json`;

/** Whole or not at all, so that nobody reads half a pid. */
function writeHolder(file: string, holder: LockHolder): void {
  const draft = `${holderFile(file)}.${holder.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  renameSync(draft, holderFile(file));
}
