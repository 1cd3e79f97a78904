import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TownCommands } from '@holter/server/config';
import {
  dataFolderPath,
  identityOf,
  type ProcessIdentity,
  type ProcessTable,
  realClock,
  systemTable,
  wallNow,
} from '@holter/server/process';
import type { ServerOptions } from '../client/connection.ts';
import { mainFile } from '../package/main-file.ts';
import { CliFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { chainFiles } from '../town/chain-files.ts';
import { readTownCommands } from '../town/commands.ts';
import { readTownSettings } from '../town/settings.ts';
import { DEACON, findTown, type Town } from '../town/town.ts';
import type { ActContext } from './act.ts';
import { TownSessions } from './sessions.ts';
import { watchedCommand } from './watched-command.ts';

/** The options of every command of the chain. */
export type ChainOptions = ServerOptions & { readonly town?: string; readonly socket?: string };

export type Chain = ActContext & {
  readonly commands: TownCommands;
  /** Program and arguments of each further agent of the town, by the name of its session. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Where the process of one of them is written down. */
  readonly memberFile: (name: string) => string;
  /** The data folder of the server. */
  readonly data: string;
  readonly close: () => void;
};

/** Everything that a command of the chain needs to look at the Deacon and to act on it. */
export async function openChain(io: Io, options: ChainOptions): Promise<Chain> {
  const table = systemTable();
  if (!table) throw new CliFailure('processes can only be watched on Linux and macOS');
  const town = findTown(options.town, io.env);
  const settings = readTownSettings(town);
  const commands = await readTownCommands(io);
  const clock = realClock();
  const sessions = new TownSessions(town.path, options.socket ?? commands.socket ?? undefined, io.env);
  const data = dataFolderPath(options.data, io.env);
  const files = chainFiles(data, town.path);
  return {
    ...{ town, settings, sessions, table, clock, commands, data },
    // Files are dated for other processes, and a clock that stood still while the machine slept would date them back.
    now: wallNow,
    processFile: files.deacon,
    memberFile: files.member,
    command: deaconCommand(town, commands, data),
    members: new Map(
      [...commands.agents].map(([name, { command, group }]) => [
        name,
        watchedCommand(['--agent', name, '--group', group, ...ON_LOST, '--data', data], command),
      ]),
    ),
    env: environmentOf(io, town, data),
    alone: (act) => holdingLock(town.deaconLockFile, act),
    close: () => sessions.close(),
  };
}

/** The daemon starts another one when a run was killed, which what is left of it must not keep out. */
const ON_LOST = ['--on-lost', 'end'];

/** Holter's own patrol, or the agent that the operator names, which `holter run` looks after. */
function deaconCommand(town: Town, { deacon }: TownCommands, data: string): readonly string[] {
  if (!deacon) return [process.execPath, mainFile, 'deacon', 'run', '--town', town.path, '--data', data];
  const options = ['--agent', DEACON, '--group', 'town', '--mode', 'nudge', ...ON_LOST, '--data', data];
  return watchedCommand(options, deacon);
}

/** A tmux server keeps the environment of whoever started it, so that this is passed on by name. */
function environmentOf({ env }: Io, town: Town, data: string): Record<string, string> {
  const named = ['PATH', 'HOME', 'HOLTER_CONFIG'].flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return { ...Object.fromEntries(named), HOLTER_TOWN: town.path, HOLTER_DATA: data };
}

/** Null if another process holds it. It ends with its process, however that dies. */
export async function holdingLock<T>(file: string, act: () => Promise<T>): Promise<T | null> {
  const { acquireLock } = await import('@holter/server/lock');
  mkdirSync(dirname(file), { recursive: true });
  const lock = await acquireLock(file);
  if (!lock) return null;
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** This process. */
export function selfIn(table: ProcessTable): ProcessIdentity {
  const row = table.row(process.pid);
  if (!row) throw new CliFailure("the process table can't be read");
  return identityOf(table, row);
}
