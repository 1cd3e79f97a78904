import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { DataFolder, dataFolderPath, realClock } from '@holter/server/local';
import { findConfigFile, readSettingsFile, writeSettingsFile } from '@holter/server/process';
import type { Command } from 'commander';
import { daemonArguments } from '../background/ensure-server.ts';
import { refuseAgents } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { stopServer } from './down.ts';

type InstallOptions = { readonly data?: string; readonly config?: string; readonly start: boolean };

const UNIT = 'holter.service';

export function registerService(program: Command, io: Io): void {
  const service = program
    .command('service')
    .description('keep the server running with systemd, for this user');

  withExamples(
    service
      .command('install')
      .description('write a unit of systemd for this user, enable it and start it')
      .option('--data <dir>', 'data folder (default: HOLTER_DATA, else the XDG state folder)')
      .option(
        '--config <file>',
        'holter.yaml (default: HOLTER_CONFIG, else the one in the XDG config folder)',
      )
      .option('--no-start', 'only write the unit'),
    [
      ['holter service install', 'from now on, also after a new log-in'],
      ['loginctl enable-linger', 'also while you are not logged in'],
    ],
  ).action((options: InstallOptions) => install(io, options));

  withExamples(
    service.command('remove').description('stop the service and remove its unit; the data is kept'),
    [['holter service remove', 'as it was before']],
  ).action(() => remove(io));
}

async function install(io: Io, { data, config, start }: InstallOptions): Promise<void> {
  refuseAgents(io, 'service install');
  const folder = new DataFolder(dataFolderPath(data, io.env));
  folder.prepare();
  const file = unitFile(io);
  mkdirSync(dirname(file), { recursive: true });
  writeSettingsFile(file, unitText(folder.path, findConfigFile(config, io.env, io.workingDirectory)));
  io.out(`${file}\n`);
  if (!start) return;
  // Another server of the folder would keep the service from starting.
  await stopServer(folder, realClock());
  systemctl('daemon-reload');
  systemctl('enable', '--now', UNIT);
  io.out('the server runs, and starts again with your next log-in; its log: journalctl --user -u holter\n');
}

function remove(io: Io): void {
  refuseAgents(io, 'service remove');
  const file = unitFile(io);
  if (!isWritten(file)) return io.out(`${file} does not exist, nothing to do\n`);
  let failure: unknown = null;
  try {
    systemctl('disable', '--now', UNIT);
  } catch (error) {
    failure = error;
  }
  rmSync(file, { force: true });
  if (failure) throw failure;
  systemctl('daemon-reload');
  io.out(`removed ${file}\n`);
}

const unitFile = ({ env }: Io): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'systemd', 'user', UNIT);

function isWritten(file: string): boolean {
  try {
    return readSettingsFile(file) !== '';
  } catch {
    return false;
  }
}

function unitText(dataFolder: string, config: string | null): string {
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

/** As systemd reads it: `%` begins a specifier, `$` a variable. */
const quoted = (word: string): string =>
  `"${word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

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
