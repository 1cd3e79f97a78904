import { existsSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { LifecycleAction } from '@holter/core';
import { realDice } from '@holter/server/process';
import type { Command } from 'commander';
import { refuseAgents } from '../client/connection.ts';
import { incarnationIn, memberHand } from '../daemon/member-hand.ts';
import { type Chain, type ChainOptions, openChain } from '../deacon/context.ts';
import { lookAtDeacon } from '../deacon/look.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { writeRequest } from '../town/lifecycle-file.ts';
import { PATROL_EXAMPLE } from '../town/patrol-prompt.ts';
import { runningDaemon } from '../town/running-daemon.ts';
import { readTownSettings, writeTownSettings } from '../town/settings.ts';
import { DEACON, findTown, TOWN_OPTION } from '../town/town.ts';

/** `holter town`: the folder in which the watchdog chain keeps its state. */
export function registerTown(program: Command, io: Io): void {
  const town = program
    .command('town')
    .description('create the folder of the watchdog chain, and control its agents');
  withExamples(
    town
      .command('init')
      .description('make the folders of a town, and write its names and thresholds')
      .argument('[dir]', 'the same as --town')
      .option(...TOWN_OPTION)
      .option(...SOCKET_OPTION),
    [
      ['holter town init', 'a town in ~/gt'],
      ['holter town init /srv/town', 'a town elsewhere; set HOLTER_TOWN, or use --town'],
    ],
  ).action((dir: string | undefined, { town: named, socket }: Pick<ChainOptions, 'town' | 'socket'>) => {
    refuseAgents(io, 'town init');
    init(io, dir ?? named, socket);
  });
  for (const { action, does, example } of ACTIONS)
    withExamples(
      town
        .command(action)
        .description(does)
        .argument('<name>', 'the name of its session, or deacon')
        .option('--reason <text>', 'why, for the record', '')
        .option(...TOWN_OPTION)
        .option(...SOCKET_OPTION)
        .option(
          '--data <dir>',
          'data folder of the server (default: HOLTER_DATA, else the XDG state folder)',
        ),
      [[`holter town ${action} gt-alpha-witness`, example]],
    ).action((name: string, options: RequestOptions) => request(io, action, name, options));
}

type RequestOptions = Pick<ChainOptions, 'town' | 'socket' | 'data'> & { readonly reason: string };

const ACTIONS: readonly {
  readonly action: LifecycleAction;
  readonly does: string;
  readonly example: string;
}[] = [
  {
    action: 'cycle',
    does: 'ask the daemon to end an agent of the town and to start its next run, with a letter for it',
    example: 'a fresh session, which is told that the last one was ended on purpose',
  },
  {
    action: 'restart',
    does: 'ask the daemon to end an agent of the town, and to start it again',
    example: 'exactly the run that is there now, at the next tick of the daemon',
  },
  {
    action: 'shutdown',
    does: 'ask the daemon to end an agent of the town, and to leave it down',
    example: 'it stays down until `holter town resume`, or until you start it yourself',
  },
  {
    action: 'resume',
    does: 'ask the daemon to start an agent of the town that was shut down',
    example: 'it is kept running again',
  },
];

/** Written down for the daemon, which carries it out with its next tick; older than 10 minutes it is not carried out. */
async function request(
  io: Io,
  action: LifecycleAction,
  name: string,
  { reason, ...options }: RequestOptions,
): Promise<void> {
  refuseAgents(io, `town ${action}`);
  const chain = await openChain(io, options);
  try {
    const { town, settings, data, now } = chain;
    const isDeacon = name === DEACON || name === settings.deaconSession;
    if (!isDeacon && !chain.commands.agents.has(name))
      throw new CliFailure(
        `the daemon of ${town.path} keeps no agent running that is called ${name}`,
        `it keeps: ${[DEACON, ...chain.commands.agents.keys()].join(', ')}`,
      );
    if ((await runningDaemon(town, chain.table, now)) === null)
      throw new CliFailure(`no daemon runs in ${town.path}`, `start it: holter daemon --town ${town.path}`);
    const agent = isDeacon ? DEACON : name;
    const incarnation = await runOf(chain, agent);
    const by = io.env.USER || userInfo().username;
    writeRequest(data, town.path, { action, agent, incarnation, by, reason, at: now() }, realDice.newId());
    const about = incarnation === null ? '' : ` (pid ${incarnation.split('.')[0]})`;
    io.out(
      `asked for: ${action} ${agent}${about}; the daemon does it within ${settings.tickMs / 60_000} min\nsee ${town.daemonLogFile}\n`,
    );
  } finally {
    chain.close();
  }
}

/** The run that is there now; the daemon leaves any other one alone. */
async function runOf(chain: Chain, agent: string): Promise<string | null> {
  if (agent === DEACON) return (await lookAtDeacon(chain)).run?.incarnation ?? null;
  return incarnationIn(await memberHand(chain, agent).look(null));
}

function init(io: Io, named: string | undefined, socket: string | undefined): void {
  const town = findTown(named, io.env);
  try {
    for (const folder of [town.daemonFolder, town.bootFolder]) mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new CliFailure(`the folder ${town.path} can't be used: ${(error as Error).message}`);
  }
  const isThere = existsSync(town.settingsFile);
  // Says what is wrong with it.
  readTownSettings(town);
  if (!isThere) writeTownSettings(town);
  io.out(`${town.settingsFile}${isThere ? ' is kept as it is' : ''}\n`);
  // The daemon finds by itself only the town that it would find without an option.
  const isFound = findTown(undefined, io.env).path === town.path;
  const onSocket = socket === undefined ? '' : ` --socket ${socket}`;
  io.out(`next: holter daemon${isFound ? '' : ` --town ${town.path}`}${onSocket}\n`);
  io.out(
    `\nThe Deacon is a program of Holter. For an agent in its place, in holter.yaml:\n\n${PATROL_EXAMPLE}`,
  );
}
