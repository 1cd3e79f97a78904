import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

type Place = { readonly town: Town; readonly now: () => number };
type EndFile = { readonly file: string; readonly now: () => number };

/** This run ends because somebody wants it so: it is no crash. */
export function writeEnd({ file, now }: EndFile, reason: string, incarnation: string): Promise<void> {
  return writeStateFile(file, { at: new Date(now()).toISOString(), reason }, incarnation);
}

/** Whether it is written down that somebody wanted the end of this run. */
export async function hasBeenEnded({ file, now }: EndFile, incarnation: string): Promise<boolean> {
  const reading = await readStateFile(file, now);
  return reading.kind === 'read' && reading.incarnation === incarnation;
}

/**
 * Whether this run of the Deacon has ended on purpose: it has handed over, or somebody has stopped it. An agent may hand
 * over and go on: when it has begun another cycle since, what it said before is no longer about its end.
 */
export async function hasEndedOnPurpose({ town, now }: Place, incarnation: string): Promise<boolean> {
  const beat = await readStateFile(town.heartbeatFile, now);
  const beatAt = beat.kind === 'read' && beat.incarnation === incarnation ? beat.at : 0;
  for (const file of [town.deaconStateFile, town.deaconEndFile]) {
    const reading = await readStateFile(file, now);
    if (reading.kind === 'read' && reading.incarnation === incarnation && reading.at >= beatAt) return true;
  }
  return false;
}
