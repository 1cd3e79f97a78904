import type { ChainRun, SessionState } from '@holter/core/chain';
import { instant } from '@holter/core/time';
import {
  findProcess,
  identityOf,
  isAlive,
  type ProcessIdentity,
  type ProcessTable,
  startedAtOf,
} from '@holter/server/process';
import { incarnationOf } from '../town/incarnation.ts';
import type { TownSettings } from '../town/settings.ts';
import { readStateFile, writeStateFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';
import type { TownSession, TownSessions } from './sessions.ts';

export type DeaconContext = {
  readonly town: Town;
  readonly settings: TownSettings;
  readonly sessions: TownSessions;
  readonly table: ProcessTable;
  /** Where it is written down which process was started as the Deacon: out of the town, to which agents may write. */
  readonly processFile: string;
  readonly now: () => number;
};

/** The process that runs as the Deacon, or as an agent of the town. */
export type DeaconRun = ChainRun & {
  readonly process: ProcessIdentity;
  /** Null for one that runs outside of tmux. */
  readonly place: { readonly session: TownSession; readonly pane: TownSession['panes'][number] } | null;
};

/**
 * The Deacon, or an agent of the town, as tmux and the processes show it. Outside of tmux it is the process that was
 * written down when it was started, as long as that one lives; nothing in the town can say that it is another process.
 */
export type DeaconView = {
  readonly session: SessionState;
  readonly run: DeaconRun | null;
  /** A session in which nothing runs any more. */
  readonly zombie: TownSession | null;
  /** Without tmux no pane can be seen, and nothing can be typed. */
  readonly isDegraded: boolean;
};

export const lookAtDeacon = (context: DeaconContext): Promise<DeaconView> =>
  lookAtKept(context, { session: context.settings.deaconSession, processFile: context.processFile });

/** The same for an agent of the town. */
export async function lookAtKept(
  context: Omit<DeaconContext, 'processFile'>,
  { session, processFile }: { readonly session: string; readonly processFile: string },
): Promise<DeaconView> {
  const found = await context.sessions.find(session);
  const isDegraded = found.kind === 'no-tmux';
  if (found.kind === 'unknown') return { session: 'unknown', run: null, zombie: null, isDegraded };
  const recorded = await recordedProcess(processFile, context.now);
  if (found.kind === 'found') {
    const pane = paneOf(found.session, recorded, context.table);
    if (pane) {
      const row = context.table.row(pane.row.pid);
      if (!row) return { session: 'unknown', run: null, zombie: null, isDegraded };
      const process = identityOf(context.table, row);
      const place = { session: found.session, pane };
      return { session: 'alive', run: runOf(context, process, place), zombie: null, isDegraded };
    }
  }
  const zombie = found.kind === 'found' ? found.session : null;
  if (recorded && isAlive(context.table, recorded))
    return { session: 'alive', run: runOf(context, recorded, null), zombie, isDegraded };
  return { session: 'dead', run: null, zombie, isDegraded };
}

function runOf(
  { now }: Pick<DeaconContext, 'now'>,
  process: ProcessIdentity,
  place: DeaconRun['place'],
): DeaconRun {
  const startedAt = startedAtOf(process, now());
  return {
    process,
    incarnation: incarnationOf(process),
    startedAt: startedAt === null ? null : instant(startedAt),
    place,
  };
}

/** The pane that the chain has started, else the first in which something runs. A shell left at its prompt is nothing. */
function paneOf(
  { panes }: TownSession,
  recorded: ProcessIdentity | null,
  table: ProcessTable,
): TownSession['panes'][number] | null {
  const living = panes.filter(({ row }) => !row.dead && !isLeftShell(table, row.pid));
  const own = living.find(({ row }) => row.pid === recorded?.pid && isAlive(table, recorded));
  return own ?? living[0] ?? null;
}

/**
 * A shell that waits for its next command, and in which nothing runs. A shell that runs a script has arguments, and is
 * at work also between two commands.
 */
function isLeftShell(table: ProcessTable, pid: number): boolean {
  const [program = '', ...args] = table.argv(pid) ?? [];
  const isShell =
    /(?:^|\/)-?(?:ba|da|z|k|fi)?sh$/.test(program) && args.every((word) => /^-[il]+$/.test(word));
  return isShell && table.childPids(pid).length === 0;
}

/** Which process was started last. */
async function recordedProcess(processFile: string, now: () => number): Promise<ProcessIdentity | null> {
  const reading = await readStateFile(processFile, now);
  if (reading.kind !== 'read') return null;
  const { pid, started_at: startedAt, boot_id: bootId } = reading.state;
  return typeof pid === 'number' && typeof startedAt === 'string' && typeof bootId === 'string'
    ? { pid, startedAt, bootId }
    : null;
}

export function recordProcess(
  { town, processFile, now }: Pick<DeaconContext, 'town' | 'processFile' | 'now'>,
  process: ProcessIdentity,
): Promise<void> {
  const { pid, startedAt, bootId } = process;
  const at = new Date(now()).toISOString();
  const state = { at, town: town.path, pid, started_at: startedAt, boot_id: bootId };
  return writeStateFile(processFile, state, incarnationOf(process));
}

/** Whether this process is the Deacon, or runs below it. */
export function isWithin(table: ProcessTable, pid: number, root: ProcessIdentity): boolean {
  if (!findProcess(table, root)) return false;
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = table.row(at)?.parentPid)
    if (at === root.pid) return true;
  return false;
}
