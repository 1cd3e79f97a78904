import { spawn } from 'node:child_process';
import { closeSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshnessOf, type SampleAt } from '@holter/core/chain';
import { instant } from '@holter/core/time';
import {
  type Clock,
  identityOf,
  openLogFile,
  type ProcessIdentity,
  ProcessTree,
  stopTree,
  writeSettingsFile,
} from '@holter/server/process';
import { TmuxError } from '../tmux/control-client.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { heartbeatReading } from './heartbeat.ts';
import {
  type DeaconContext,
  type DeaconRun,
  type DeaconView,
  lookAtDeacon,
  lookAtKept,
  recordProcess,
} from './look.ts';
import type { TownSession } from './sessions.ts';
import { whyNotStuck } from './still-stuck.ts';

/** What became of an act. Nothing was done if it was left alone (it is no longer as it was seen) or refused. */
type ActOutcome = {
  readonly outcome: 'done' | 'left alone' | 'refused' | 'failed';
  readonly detail: string;
};

export type ActContext = DeaconContext & {
  readonly clock: Clock;
  /** Program and arguments of the Deacon. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Holds the lock of the Deacon while it acts; null if another process has it. */
  readonly alone: <T>(act: () => Promise<T>) => Promise<T | null>;
};

/** What the chain keeps running: the Deacon, or an agent of the town. */
export type Kept = {
  readonly session: string;
  readonly folder: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Where its process is written down. */
  readonly processFile: string;
  /** Where its output goes without tmux. */
  readonly logFile: string;
};

const CLEANUP_MS = 10_000;
const HISTORY_LINES = 300;

export const deaconOf = ({ town, settings, command, processFile }: ActContext): Kept => ({
  ...{ session: settings.deaconSession, folder: town.deaconFolder, command, processFile },
  logFile: join(town.deaconFolder, 'deacon.log'),
});

export const startDeacon = (context: ActContext): Promise<ActOutcome> =>
  startKept(context, deaconOf(context));

/** Starts it if it still does not run; a zombie session is killed first, exactly that one. */
export const startKept = (context: ActContext, kept: Kept): Promise<ActOutcome> =>
  locked(context, async () => {
    const seen = await lookAtKept(context, kept);
    if (seen.session === 'unknown') return leftAlone("Holter can't see whether it runs");
    if (seen.session !== 'dead') return leftAlone('it runs again');
    if (seen.zombie) {
      const refusal = await killZombie(context, seen.zombie);
      if (refusal) return refusal;
    }
    return start(context, kept, seen);
  });

/**
 * Stops this very run of the Deacon if it is still as silent and as still as it was at the look `decidedBy`, and starts
 * its successor.
 */
export const restartDeacon = (
  context: ActContext,
  incarnation: string,
  decidedBy: SampleAt | null,
): Promise<ActOutcome> =>
  locked(context, async () => {
    const seen = await lookAtDeacon(context);
    const { run } = seen;
    if (!run || run.incarnation !== incarnation) return leftAlone('another one runs now');
    const { town, settings, now } = context;
    const reading = await heartbeatReading(town, now);
    const freshness = freshnessOf(reading, run, instant(now()), settings.freshness);
    if (freshness.kind !== 'very-stale') return leftAlone(freshness.evidence);
    const doubt = await whyNotStuck(context, run, decidedBy);
    if (doubt !== null) return leftAlone(doubt);
    const stopped = await stop(context, run);
    return stopped ?? start(context, deaconOf(context), seen);
  });

/** Stops this very run, because somebody who may has ordered it. */
export const stopKept = (context: ActContext, kept: Kept, incarnation: string): Promise<ActOutcome> =>
  locked(context, async () => {
    const { session, run } = await lookAtKept(context, kept);
    if (session === 'dead') return { outcome: 'done', detail: 'it has ended already' };
    if (!run) return leftAlone("Holter can't see whether it runs");
    if (run.incarnation !== incarnation) return leftAlone('another one runs now');
    return (await stop(context, run)) ?? { outcome: 'done', detail: 'it was ended' };
  });

/** Ends the session with everything in it. `isConfirmed`: a person has named the socket. */
export async function killSession(
  context: Omit<ActContext, 'command' | 'env' | 'alone'>,
  session: TownSession,
  isConfirmed: boolean,
): Promise<ActOutcome> {
  if (!context.sessions.isOwn(session) && !isConfirmed)
    return refused(`the session ${session.name} was not started by the chain of ${context.town.path}`);
  await keepHistory(context, session);
  for (const { row } of session.panes) {
    const process = row.dead ? null : context.table.row(row.pid);
    const stillThere = process && (await stopProcess(context, identityOf(context.table, process)));
    if (stillThere) return stillThere;
  }
  return end(context, session);
}

async function locked(context: ActContext, act: () => Promise<ActOutcome>): Promise<ActOutcome> {
  return (await context.alone(act)) ?? leftAlone('another process is starting or stopping it');
}

async function killZombie(context: ActContext, zombie: TownSession): Promise<ActOutcome | null> {
  if (!context.sessions.isOwn(zombie))
    return refused(
      `the session ${zombie.name} is in the way, and was not started by the chain; holter session kill ends it`,
    );
  await keepHistory(context, zombie);
  const ended = await end(context, zombie);
  return ended.outcome === 'done' ? null : ended;
}

async function stop(context: ActContext, run: DeaconRun): Promise<ActOutcome | null> {
  if (run.place) {
    const killed = await killSession(context, run.place.session, false);
    return killed.outcome === 'done' ? null : killed;
  }
  return stopProcess(context, run.process);
}

async function stopProcess(
  { table, clock }: Pick<ActContext, 'table' | 'clock'>,
  root: ProcessIdentity,
): Promise<ActOutcome | null> {
  const tree = new ProcessTree(table, root, incarnationOf(root));
  const stopped = await stopTree({ table, tree, clock, cleanupMs: CLEANUP_MS });
  if (stopped.kind === 'gone') return null;
  return { outcome: 'failed', detail: `${stopped.left.length} of its processes do not end` };
}

/** A session ends with its last process, so that it may be gone already. */
async function end({ sessions }: Pick<ActContext, 'sessions'>, session: TownSession): Promise<ActOutcome> {
  try {
    await sessions.kill(session);
  } catch (error) {
    if (!(error instanceof TmuxError)) throw error;
  }
  const found = await sessions.find(session.name);
  if (found.kind === 'unknown') return { outcome: 'failed', detail: found.because };
  if (found.kind === 'found' && found.session.sessionId === session.sessionId)
    return { outcome: 'failed', detail: `the session ${session.name} does not end` };
  return { outcome: 'done', detail: `the session ${session.name} was ended` };
}

/** What the panes showed last, for the person who asks why. */
async function keepHistory(
  { town, settings }: Pick<ActContext, 'town' | 'settings'>,
  { name, panes }: TownSession,
): Promise<void> {
  try {
    const texts = await Promise.all(panes.map(({ pane }) => pane.history(HISTORY_LINES)));
    const isDeacon = name === settings.deaconSession;
    const file = isDeacon ? join(town.deaconFolder, 'last-session.txt') : town.memberHistoryFile(name);
    const { redact } = await import('@holter/server/redaction');
    writeSettingsFile(file, redact(texts.join('\n')));
  } catch {
    // A pane that closes meanwhile, or a full disk, must not keep it from being replaced.
  }
}

async function start(context: ActContext, kept: Kept, { isDegraded }: DeaconView): Promise<ActOutcome> {
  const { sessions, table, env } = context;
  const { session: name, folder, command } = kept;
  mkdirSync(folder, { recursive: true });
  try {
    const pid = isDegraded ? spawnDirectly(kept, env) : await sessions.start({ name, folder, command, env });
    const row = table.row(pid);
    if (!row) return { outcome: 'failed', detail: 'it ended at once' };
    await recordProcess({ ...context, processFile: kept.processFile }, identityOf(table, row));
    const place = isDegraded ? 'as a process of its own, without tmux' : `in ${name}`;
    return { outcome: 'done', detail: `started ${place} (pid ${pid})` };
  } catch (error) {
    return { outcome: 'failed', detail: `it could not be started: ${(error as Error).message}` };
  }
}

function spawnDirectly({ command, folder, logFile }: Kept, env: ActContext['env']): number {
  const [program = '', ...args] = command;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openLogFile(logFile);
  try {
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    child.on('error', () => undefined);
    child.unref();
    if (child.pid === undefined) throw new Error(`${program} can't be started`);
    return child.pid;
  } finally {
    closeSync(log);
  }
}

const refused = (detail: string): ActOutcome => ({ outcome: 'refused', detail });
const leftAlone = (detail: string): ActOutcome => ({ outcome: 'left alone', detail });
