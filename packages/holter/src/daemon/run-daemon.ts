import { mkdirSync } from 'node:fs';
import { type DaemonSettings, type Instant, instant } from '@holter/core';
import { acquireLock, lockHolder } from '@holter/server/own-store';
import {
  type Clock,
  type DataFolder,
  identityOf,
  type ProcessTable,
  realDice,
  removeAgentFile,
} from '@holter/server/process';
import { CliFailure } from '../terminal/failure.ts';
import { incarnationOf } from '../town/incarnation.ts';
import { writeStateFile, writeTownFile } from '../town/state-file.ts';
import type { Town } from '../town/town.ts';
import type { ChainBook } from './chain-book.ts';
import { Daemon, type Hands, LOOK_MS, type TownDuties } from './daemon.ts';
import { DaemonLog } from './daemon-log.ts';
import { openBook, withChainPolicy } from './open-book.ts';
import { outsideOf } from './open-outside.ts';
import { OutsideVoice } from './outside-voice.ts';
import { Reporter } from './reporter.ts';
import { ServerLink } from './server-link.ts';
import type { NotifyService } from './service-notify.ts';

type DaemonOptions = {
  readonly town: Town;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly settings: Pick<DaemonSettings, 'tickMs' | 'limits'>;
  readonly hands: Omit<Hands, 'server'>;
  readonly duties: TownDuties;
  readonly answerMs?: number;
  readonly isOnce: boolean;
  readonly onStop: (stop: () => void) => void;
  /** Where what happens is said besides the log. */
  readonly print: (line: string) => void;
  /** Tells the service manager, if there is one. */
  readonly notify?: NotifyService;
  /** Starts the server and returns when it answers. */
  readonly startServer?: () => Promise<unknown>;
};

/** How long the server may take to answer: far longer than it ever does, and far shorter than a tick. */
const ANSWER_MS = 15_000;

/** The daemon of a town, until it is stopped. There is one: a second one ends with a message. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { town, folder, clock, table, env, isOnce, notify = () => undefined } = options;
  mkdirSync(town.daemonFolder, { recursive: true });
  const lock = await acquireLock(town.daemonLockFile, { pid: process.pid, since: clock.now() });
  if (!lock) {
    const pid = lockHolder(town.daemonLockFile)?.pid;
    throw new CliFailure(`another daemon runs in ${town.path}${pid === undefined ? '' : ` (pid ${pid})`}`);
  }
  const log = new DaemonLog(town.daemonLogFile, clock.now);
  const say = (line: string): void => {
    log.say(line);
    options.print(line);
  };
  const own = table.row(process.pid);
  const incarnation = own ? incarnationOf(identityOf(table, own)) : String(process.pid);
  const settings = withChainPolicy(options.settings);
  const book = await openBook({ town, data: folder.path, say }, settings);
  try {
    await writeTownFile(town.daemonPidFile, `${process.pid}\n`, say);
    const reporter = new Reporter({ folder, instanceId: incarnation, tickMs: settings.tickMs });
    const server = new ServerLink({
      ...{ folder, clock, table, env, workingDirectory: options.workingDirectory },
      answerMs: options.answerMs ?? ANSWER_MS,
      ...(options.startServer && { start: options.startServer }),
    });
    const daemon = new Daemon({
      ...{ book, clock, settings, say },
      hands: { server, ...options.hands },
      duties: options.duties,
      lookMs: LOOK_MS,
      isHeld: estopOf(folder, say),
      newSecret: realDice.newSecret,
      tell: (message) => reporter.tell(message),
      outside: new OutsideVoice({
        ...{ book, clock, say },
        open: outsideOf({ env, workingDirectory: options.workingDirectory, clock }),
      }),
    });
    say(`the daemon of ${town.path} runs (pid ${process.pid})`);
    notify('READY=1');
    // The first start is no incident.
    if (server.isAbsent && !book.link('server').agent && !folder.readEstop()) await startFirst(server, say);
    const stopping = new Promise<void>((resolve) => options.onStop(resolve));
    let isStopped = false;
    void stopping.then(() => {
      isStopped = true;
    });
    for (let count = 1, tickAt = clock.now(), lookAt = tickAt; !isStopped; ) {
      const isTick = tickAt <= lookAt;
      let isGood = true;
      try {
        lookAt = await (isTick ? daemon.tick() : daemon.lookAgain());
        if (isTick && book.link('server').look?.tick) await report(reporter, book, say);
      } catch (error) {
        isGood = false;
        say(`a tick failed: ${(error as Error).message}`);
        lookAt = instant(clock.now() + settings.tickMs);
      }
      if (isTick) {
        count += 1;
        tickAt = instant(Math.max(tickAt + settings.tickMs, clock.now()));
        await writeState(options, book, count, incarnation, say);
        // A daemon that can't tick is to be started again.
        if (isGood) notify('WATCHDOG=1');
      }
      if (isOnce) break;
      await waitUntil(clock, instant(Math.min(tickAt, lookAt)), stopping);
    }
    notify('STOPPING=1');
    if (!isOnce) await reporter.leave().catch(() => undefined);
    say('the daemon has stopped');
  } finally {
    await removeAgentFile(town.daemonPidFile);
    await book.close();
    lock.release();
    log.close();
  }
}

/** Whether a person has stopped Holter's own acts; said when it changes. */
function estopOf(folder: DataFolder, say: (line: string) => void): () => boolean {
  let wasOn = false;
  return () => {
    const estop = folder.readEstop();
    if ((estop !== null) !== wasOn)
      say(estop ? `acts are stopped by ${estop.by} (holter estop)` : 'acts are allowed again');
    wasOn = estop !== null;
    return wasOn;
  };
}

async function startFirst(server: ServerLink, say: (line: string) => void): Promise<void> {
  try {
    await server.start();
    say('server: started');
  } catch (error) {
    say(`server: it could not be started: ${(error as Error).message}`);
  }
}

/** A server that is down is what the daemon is for; it is told with the next tick. */
async function report(reporter: Reporter, book: ChainBook, say: (line: string) => void): Promise<void> {
  try {
    await reporter.report(book);
  } catch (error) {
    say(`the server was not told: ${(error as Error).message}`);
  }
}

function writeState(
  { town, clock }: DaemonOptions,
  book: ChainBook,
  ticks: number,
  incarnation: string,
  say: (line: string) => void,
): Promise<void> {
  const links = book.names.map((name) => {
    const { agent, look, budget } = book.link(name);
    const { [name]: down } = book.down;
    return [
      name,
      {
        state: look?.state ?? 'unknown',
        incident: agent?.hard.incident?.id ?? null,
        is_latched: budget.latchedAt !== undefined,
        ...(down && { shut_down_by: down.by, reason: down.reason }),
      },
    ];
  });
  const at = new Date(clock.now()).toISOString();
  return writeStateFile(
    town.daemonStateFile,
    { at, pid: process.pid, ticks, links: Object.fromEntries(links) },
    incarnation,
    say,
  );
}

function waitUntil(clock: Clock, at: Instant, stopping: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(Math.max(0, at - clock.now()), resolve);
    void stopping.then(() => {
      cancel();
      resolve();
    });
  });
}
