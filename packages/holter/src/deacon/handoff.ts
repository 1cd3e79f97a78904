import { appendFileSync, mkdirSync } from 'node:fs';
import { writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';

/** What a run of the Deacon leaves to the next. */
type Handoff = {
  readonly subject: string;
  readonly message: string;
  /** The last cycle of this run. */
  readonly cycle: number;
  readonly incarnation: string;
};

/** The type of a letter from one run of an agent to the next. */
export const HANDOFF = 'handoff';

/** The digest is kept for good, the summary until the next handoff. */
export function writeHandoff(
  town: Town,
  { subject, message, cycle, incarnation }: Handoff,
  at: number,
): void {
  const state = { at: new Date(at).toISOString(), cycle, subject, summary: message };
  mkdirSync(town.deaconFolder, { recursive: true });
  appendFileSync(town.digestsFile, `${JSON.stringify({ ...state, incarnation })}\n`);
  writeStateFile(town.deaconStateFile, state, incarnation);
}
