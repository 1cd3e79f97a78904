import { mkdirSync } from 'node:fs';
import { appendToAgentFile, ownerOf } from '@holter/server/process';
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

/** Of the digests of many years. */
const RULES = { isOwner: ownerOf(), bytesMax: 64 * 1024 * 1024 };

/** The digest is kept for good, the summary until the next handoff. */
export async function writeHandoff(
  town: Town,
  { subject, message, cycle, incarnation }: Handoff,
  at: number,
): Promise<void> {
  const { redact } = await import('@holter/server/redaction');
  const state = {
    at: new Date(at).toISOString(),
    cycle,
    subject: redact(subject),
    summary: redact(message),
  };
  mkdirSync(town.deaconFolder, { recursive: true });
  await appendToAgentFile(town.digestsFile, `${JSON.stringify({ ...state, incarnation })}\n`, RULES);
  await writeStateFile(town.deaconStateFile, state, incarnation);
}
