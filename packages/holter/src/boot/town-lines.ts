import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { instant } from '@holter/core/time';
import { wallNow } from '@holter/server/process';
import { clientOf } from '../client/ask.ts';
import type { Connection } from '../client/connection.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';
import { ago, counted } from '../terminal/words.ts';
import { linksIn } from '../town/daemon-state.ts';
import { readStateFile } from '../town/state-file.ts';
import { OVERSEER, type Town } from '../town/town.ts';
import { readBootStatus } from './status-file.ts';

/** What `holter status` says about the watchdog chain. */
export async function townLines(
  town: Town,
  env: Io['env'],
  connection: Connection,
): Promise<readonly string[]> {
  const status = await readBootStatus(town, wallNow);
  const now = instant(wallNow());
  const triage = status
    ? `Boot ${ago(instant(status.at), now)}: ${status.action} ${status.target}, ${status.reason}`
    : 'no triage by Boot yet';
  return [
    printable(`town ${town.path}: ${triage}`),
    ...(await downLines(town)),
    ...(hasTmux(env)
      ? []
      : ['degraded: tmux is not installed, so no pane is seen and no nudge is typed; see docs/watchdog.md']),
    ...(await overseerLine(connection)),
  ];
}

/** Who is not kept running, because somebody wants it so. */
async function downLines(town: Town): Promise<readonly string[]> {
  const reading = await readStateFile(town.daemonStateFile, wallNow);
  if (reading.kind !== 'read') return [];
  return linksIn(reading.state).flatMap(({ name, downBy }) =>
    downBy === null
      ? []
      : [printable(`${name} was shut down by ${downBy}; to start it again: holter town resume ${name}`)],
  );
}

export function hasTmux({ PATH = '' }: Io['env']): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'tmux'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function overseerLine(connection: Connection): Promise<readonly string[]> {
  const count = await unreadByOverseer(connection);
  if (!count) return [];
  return [`${counted(count, 'unread letter')} for the overseer: holter mail list --box ${OVERSEER}`];
}

/** Null if no server answers, or one of an earlier version, which has no such box. */
export async function unreadByOverseer(connection: Connection): Promise<number | null> {
  try {
    return (await clientOf(connection).unreadLetters({ agent: OVERSEER })).count;
  } catch {
    return null;
  }
}
