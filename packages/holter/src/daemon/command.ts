import { daemonDefaults, memberLink } from '@holter/core';
import { DataFolder, dataFolderPath } from '@holter/server/process';
import type { Command } from 'commander';
import { findServer, refuseAgents } from '../client/connection.ts';
import { openChain } from '../deacon/context.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { ChainMail } from '../town/chain-mail.ts';
import { TOWN_OPTION } from '../town/town.ts';
import { BootHand } from './boot-hand.ts';
import { deaconHand } from './deacon-hand.ts';
import { memberHand } from './member-hand.ts';
import { runDaemon } from './run-daemon.ts';
import { takeServiceNotice } from './service-notify.ts';
import { endOfAgents } from './told-end.ts';
import { townDuties } from './town-duties.ts';

type Options = {
  readonly town?: string;
  readonly data?: string;
  readonly socket?: string;
  readonly once?: boolean;
};

/** `holter daemon`: keeps the Holter server and the watchdog chain of a town running. */
export function registerDaemon(program: Command, io: Io): void {
  withExamples(
    program
      .command('daemon')
      .description('keep the server and the watchdog chain of a town running, until Ctrl-C')
      .option(...TOWN_OPTION)
      .option(...SOCKET_OPTION)
      .option('--data <dir>', 'data folder of the server (default: HOLTER_DATA, else the XDG state folder)')
      .option('--once', 'one tick, then end'),
    [
      ['holter daemon', 'a tick every 3 minutes; its log: ~/gt/daemon/daemon.log'],
      ['holter daemon --once', 'a single tick, to see what it does'],
    ],
  ).action((options: Options) => daemon(io, options));
}

async function daemon(io: Io, options: Options): Promise<void> {
  refuseAgents(io, 'daemon');
  const notify = takeServiceNotice(process.env);
  const { env, workingDirectory } = io;
  const chain = await openChain(io, options);
  const { town, clock, table, settings } = chain;
  const folder = new DataFolder(dataFolderPath(options.data, env));
  const passedOn = [
    '--data',
    folder.path,
    ...(options.socket === undefined ? [] : ['--socket', options.socket]),
  ];
  const boot = new BootHand(chain, passedOn);
  const names = [...chain.commands.agents.keys()];
  const mail = new ChainMail(() => findServer(io, options, 'operator'));
  const endOf = endOfAgents(mail, clock, chain.now);
  const members = new Map(names.map((name) => [memberLink(name), memberHand(chain, name, endOf)]));
  try {
    await runDaemon({
      ...{ town, folder, clock, table, env, workingDirectory },
      settings: { tickMs: settings.tickMs, limits: daemonDefaults.limits },
      hands: { boot, deacon: deaconHand(chain, endOf), members },
      duties: townDuties(chain, boot, mail),
      isOnce: options.once === true,
      notify,
      onStop: (stop) => void io.onStop(stop),
      print: (line) => io.err(`holter: ${line}\n`),
    });
  } finally {
    chain.close();
  }
}
