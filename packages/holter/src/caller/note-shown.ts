import type { IncidentView } from '@holter/server/local';
import { clientOf } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import type { Io } from '../terminal/io.ts';
import { isBelowAgent } from './is-below-agent.ts';

/**
 * Tells the server that a person was shown these incidents. Output that goes to a file or a program, and the
 * terminal of a watched agent, reach nobody who decides.
 */
export async function noteShown(
  io: Io,
  connection: Connection,
  incidents: readonly (IncidentView | null)[],
  isBelow = isBelowAgent,
): Promise<void> {
  if (!io.isTerminal) return;
  const unseen = incidents.flatMap((incident) =>
    incident !== null && isUnseen(incident) ? [incident.incidentId] : [],
  );
  if (unseen.length === 0) return;
  // What was printed stays printed: a token that may only look, or a server that has just gone, is no failure.
  const client = clientOf(connection);
  const tell = async (): Promise<unknown> =>
    (await isBelow(io.env, client)) || client.noteShown(unseen.slice(0, SHOWN_MAX));
  await tell().catch(() => undefined);
}

/** As many as one request takes. */
const SHOWN_MAX = 500;

const isUnseen = ({ step, noticedAt }: IncidentView): boolean =>
  noticedAt === null && (step === 'escalate' || step === 'human');
