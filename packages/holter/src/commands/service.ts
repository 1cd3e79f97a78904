import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import { findConfigFile, writeSettingsFile } from '@holter/server/process';
import type { Command } from 'commander';
import { daemonArguments } from '../background/ensure-server.ts';
import { DAEMON_UNIT, isWritten, SERVER_UNIT, unitFile } from '../background/service-unit.ts';
import { refuseAgents } from '../client/connection.ts';
import { mainFile } from '../package/main-file.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { SOCKET_OPTION } from '../tmux/socket-option.ts';
import { readTownSettings } from '../town/settings.ts';
import { findTown, TOWN_OPTION, type Town } from '../town/town.ts';
import { stopServer } from './down.ts';

type InstallOptions = {
  readonly data?: string;
  readonly config?: string;
  readonly start: boolean;
  readonly daemon?: boolean;
  readonly town?: string;
  readonly socket?: string;
};

export function registerService(program: Command, io: Io): void {
  const service = program
    .command('service')
    .description('keep the server running with systemd, for this user');

  withExamples(
    service
      .command('install')
      .description('write a systemd user unit, enable it and start it')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
      .option(
        '--config <file>',
        'holter.yaml (default: HOLTER_CONFIG, else the one in the XDG config folder)',
      )
      .option('--no-start', 'only write the unit')
      .option('--daemon', 'for the daemon, which starts the server itself and looks after it')
      .option(...TOWN_OPTION)
      .option(...SOCKET_OPTION),
    [
      ['holter service install', 'starts now, and whenever you log in'],
      ['holter service install --daemon', 'the daemon, instead of the server alone'],
      ['loginctl enable-linger', 'also while you are not logged in'],
    ],
  ).action((options: InstallOptions) => install(io, options));

  withExamples(
    service.command('remove').description('stop the service and remove its unit; the data is kept'),
    [['holter service remove', 'stop it and remove its unit']],
  ).action(() => remove(io));
}

async function install(io: Io, { data, config, start, daemon, town, socket }: InstallOptions): Promise<void> {
  refuseAgents(io, 'service install');
  // Before anything is changed: a server that runs must not be stopped for a service that can't start.
  if (start) systemctl('daemon-reload');
  const folder = new DataFolder(dataFolderPath(data, io.env));
  folder.prepare();
  const unit = daemon ? DAEMON_UNIT : SERVER_UNIT;
  const other = unitFile(io.env, daemon ? SERVER_UNIT : DAEMON_UNIT);
  if (isWritten(other))
    throw new CliFailure(`${other} is installed, and would start a second server`, 'holter service remove');
  const file = unitFile(io.env, unit);
  mkdirSync(dirname(file), { recursive: true });
  const configFile = findConfigFile(config, io.env, io.workingDirectory);
  const text = daemon
    ? daemonUnit(findTown(town, io.env), folder.path, socket, {
        PATH: searchPath(io.env.PATH ?? ''),
        ...(configFile !== null && { HOLTER_CONFIG: configFile }),
      })
    : serverUnit(folder.path, configFile);
  writeSettingsFile(file, text);
  io.out(`${file}\n`);
  if (!start) return;
  // Another server of the folder would keep the service from starting.
  await stopServer(folder, realClock());
  systemctl('daemon-reload');
  systemctl('enable', '--now', unit);
  const name = daemon ? 'the daemon' : 'the server';
  const log = unit.replace('.service', '');
  io.out(`${name} runs, and starts again with your next log-in; its log: journalctl --user -u ${log}\n`);
}

function remove(io: Io): void {
  refuseAgents(io, 'service remove');
  const units = [SERVER_UNIT, DAEMON_UNIT].filter((unit) => isWritten(unitFile(io.env, unit)));
  if (units.length === 0) return io.out(`${unitFile(io.env, SERVER_UNIT)} does not exist, nothing to do\n`);
  for (const unit of units) removeUnit(io, unit);
}

function removeUnit(io: Io, unit: string): void {
  const file = unitFile(io.env, unit);
  let failure: Error | null = null;
  try {
    systemctl('disable', '--now', unit);
  } catch (error) {
    failure = error as Error;
  }
  rmSync(file, { force: true });
  io.out(`removed ${file}\n`);
  if (failure === null) systemctl('daemon-reload');
  else io.err(`${failure.message}; if the service runs, it was not stopped\n`);
}

function serverUnit(dataFolder: string, config: string | null): string {
  const command = [process.execPath, ...daemonArguments({ dataFolder, config, idleSeconds: null })];
  return `[Unit]
Description=Holter, a heart monitor for AI agents

[Service]
ExecStart=${command.map(quoted).join(' ')}
WorkingDirectory=${dataFolder.replaceAll('%', '%%')}
Restart=on-failure
# A run may have started a server meanwhile; it ends when it is idle, and then this one takes over.
RestartSec=30
KillMode=process

[Install]
WantedBy=default.target
`;
}

/** A daemon that does not tick for three ticks is killed and started again; the server that it has started runs on. */
function daemonUnit(
  town: Town,
  dataFolder: string,
  socket: string | undefined,
  env: Readonly<Record<string, string>>,
): string {
  const onSocket = socket === undefined ? [] : ['--socket', socket];
  const place = ['--town', town.path, '--data', dataFolder, ...onSocket];
  const command = [process.execPath, mainFile, 'daemon', ...place];
  const watchdogSeconds = Math.ceil((3 * readTownSettings(town).tickMs) / 1_000);
  return `[Unit]
Description=Holter's daemon, which keeps the server and the watchdog chain running

[Service]
Type=notify
NotifyAccess=all
WatchdogSec=${watchdogSeconds}
ExecStart=${command.map(quoted).join(' ')}
${Object.entries(env).map(environmentLine).join('')}WorkingDirectory=${dataFolder.replaceAll('%', '%%')}
Restart=always
RestartSec=5
KillMode=process

[Install]
WantedBy=default.target
`;
}

/**
 * The folders in which the shell of whoever installs it finds programs: agents and tmux may be in folders that systemd
 * does not search.
 */
function searchPath(path: string): string {
  const isFolder = (name: string): boolean =>
    isAbsolute(name) && statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
  return [...new Set(path.split(delimiter))].filter(isFolder).join(delimiter);
}

const environmentLine = ([name, value]: [string, string]): string =>
  `Environment=${inQuotes(`${name}=${value}`)}\n`;

/** As systemd reads it: `%` begins a specifier, and `$`, in a command, a variable. */
const quoted = (word: string): string => inQuotes(word).replaceAll('$', '$$$$');
const inQuotes = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;

function systemctl(...args: readonly string[]): void {
  try {
    execFileSync('systemctl', ['--user', ...args], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const { code, stderr } = error as { readonly code?: string; readonly stderr?: string };
    const why =
      code === 'ENOENT' ? 'there is no systemctl' : (stderr?.trim().split('\n')[0] ?? String(error));
    throw new CliFailure(
      `systemd of this user can't be used: ${why}`,
      'start the server without it: holter up --detach',
    );
  }
}
