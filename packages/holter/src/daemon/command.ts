import { daemonDefaults } from '@holter/core';
import { DataFolder, dataFolderPath, realClock, systemTable } from '@holter/server/process';
import type { Command } from 'commander';
import { refuseAgents } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { findTown, TOWN_OPTION } from '../town/town.ts';
import { runDaemon } from './run-daemon.ts';

type Options = { readonly town?: string; readonly data?: string; readonly once?: boolean };

/** `holter daemon`: keeps the Holter server and the watchdog chain of a town running. */
export function registerDaemon(program: Command, io: Io): void {
  withExamples(
    program
      .command('daemon')
      .description('keep the server and the watchdog chain of a town running, until Ctrl-C')
      .option(...TOWN_OPTION)
      .option('--data <dir>', 'data folder of the server (default: HOLTER_DATA, else the XDG state folder)')
      .option('--once', 'one tick, then end'),
    [
      ['holter daemon', 'a tick every 3 minutes; its log: ~/gt/daemon/daemon.log'],
      ['holter daemon --once', 'what it would do now, done once'],
    ],
  ).action((options: Options) => daemon(io, options));
}

async function daemon(io: Io, { town, data, once = false }: Options): Promise<void> {
  refuseAgents(io, 'daemon');
  const table = systemTable();
  if (!table) throw new CliFailure('processes can only be watched on Linux and macOS');
  const { env, workingDirectory } = io;
  await runDaemon({
    town: findTown(town, env),
    folder: new DataFolder(dataFolderPath(data, env)),
    clock: realClock(),
    ...{ table, env, workingDirectory },
    settings: daemonDefaults,
    isOnce: once,
    onStop: (stop) => void io.onStop(stop),
    print: (line) => io.err(`holter: ${line}\n`),
  });
}
