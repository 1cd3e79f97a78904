import { lockHolder } from '@holter/server/lock';
import { identityOf, type ProcessTable, startedAtOf } from '@holter/server/process';
import { incarnationOf } from './incarnation.ts';
import { readStateFile } from './state-file.ts';
import type { Town } from './town.ts';

/** The clock of a process that has just started is read a moment after its start. */
const ROUNDING_MS = 1_000;

/**
 * The pid of the daemon that runs in this town; null if none does. What its lock names is a pid that another process may
 * have by now. So it must be the run that has written `daemon/state.json`, or, before the first tick, be older than the
 * lock.
 */
export async function runningDaemon(
  town: Town,
  table: ProcessTable | null,
  now: () => number,
): Promise<number | null> {
  const holder = lockHolder(town.daemonLockFile);
  const row = holder && table?.row(holder.pid);
  if (!table || !holder || !row || row.state === 'zombie') return null;
  const identity = identityOf(table, row);
  const reading = await readStateFile(town.daemonStateFile, now);
  if (reading.kind === 'read' && reading.incarnation === incarnationOf(identity)) return holder.pid;
  const startedAt = startedAtOf(identity, now());
  const isOlder = startedAt !== null && startedAt <= (holder.since ?? 0) + ROUNDING_MS;
  return isOlder ? holder.pid : null;
}
