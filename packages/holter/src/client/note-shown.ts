import type { IncidentView } from '@holter/server/local';
import type { Io } from '../terminal/io.ts';
import { clientOf } from './ask.ts';
import type { Connection } from './connection.ts';

/**
 * Tells the server that a person was shown these incidents. Output that goes to a file or a program, and the
 * terminal of a watched agent, reach nobody who decides.
 */
export async function noteShown(
  io: Io,
  connection: Connection,
  incidents: readonly (IncidentView | null)[],
): Promise<void> {
  if (!io.isTerminal || io.env.HOLTER_AGENT_ID) return;
  const unseen = incidents.flatMap((incident) =>
    incident !== null && isUnseen(incident) ? [incident.incidentId] : [],
  );
  if (unseen.length === 0) return;
  // What was printed stays printed: a token that may only look, or a server that has just gone, is no failure.
  await clientOf(connection)
    .noteShown(unseen.slice(0, SHOWN_MAX))
    .catch(() => undefined);
}

/** As many as one request takes. */
const SHOWN_MAX = 500;

const isUnseen = ({ step, noticedAt }: IncidentView): boolean =>
  noticedAt === null && (step === 'escalate' || step === 'human');
