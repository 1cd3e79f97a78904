import { isAlive, type ProcessIdentity, type ProcessTable, removeAgentFile } from '@holter/server/process';
import { incarnationOf } from '../town/incarnation.ts';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

/** `.boot-running`: a triage is under way, for those who look at the folder. The lock behind it is the truth. */
export function writeMarker(
  town: Town,
  process: ProcessIdentity,
  session: string,
  at: number,
): Promise<void> {
  const { pid, startedAt, bootId } = process;
  const state = { at: new Date(at).toISOString(), session, pid, started_at: startedAt, boot_id: bootId };
  return writeStateFile(town.bootMarkerFile, state, incarnationOf(process));
}

export async function removeMarker(town: Town): Promise<void> {
  await removeAgentFile(town.bootMarkerFile);
}

/**
 * Whether somebody who does not hold the lock says that it is at work: an agent that runs as Boot and writes the marker
 * itself. A marker of a process that has ended, or one that is older than its time, counts no more.
 */
export async function isMarked(
  town: Town,
  table: ProcessTable,
  ttlMs: number,
  now: () => number,
): Promise<boolean> {
  const reading = await readStateFile(town.bootMarkerFile, now);
  if (reading.kind !== 'read' || now() - reading.at >= ttlMs) return false;
  const { pid, started_at: startedAt, boot_id: bootId } = reading.state;
  if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof bootId !== 'string') return true;
  return isAlive(table, { pid, startedAt, bootId });
}
