import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { ADAPTERS, type Adapter, AdapterError, adapterNamed, type HookHeader } from '@holter/server/adapters';
import { type Command, Option } from 'commander';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { lineDiff } from './line-diff.ts';
import { backupOf, readSettings, writeSettings } from './settings-file.ts';

type ConnectOptions = ServerOptions & {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly tokenEnv?: string;
};

type Connectable = Adapter & Required<Pick<Adapter, 'connect'>>;
const isConnectable = (adapter: Adapter | null): adapter is Connectable => adapter?.connect !== undefined;

const KINDS = ADAPTERS.filter(isConnectable);
/** The paths of the files that would be changed, abbreviated with `~`. */
const filesFor = (isForUser: boolean): string =>
  KINDS.map(({ connect }) => connect.file({ env: { HOME: '~' }, workingDirectory: '.', isForUser })).join(
    ', ',
  );

export function registerConnect(program: Command, io: Io): void {
  const [kind = ''] = KINDS.map(({ name }) => name);
  withExamples(
    withServer(
      program
        .command('connect')
        .description('have an agent that you start yourself report to Holter')
        .argument('<agent-kind>', KINDS.map(({ name }) => name).join(', '))
        .addOption(
          new Option('--project', `for this folder: ${filesFor(false)} (the default)`).conflicts('user'),
        )
        .option('--user', `for all your projects: ${filesFor(true)}`)
        .option('--remove', 'take it out again')
        .option('--dry-run', 'show what would change, and change nothing')
        .option(
          '--token-env <name>',
          'write the name of a variable that holds the token, not the token itself',
        ),
    ),
    [
      [`holter connect ${kind}`, 'sessions in this folder report to Holter'],
      [`holter connect ${kind} --user --dry-run`, 'what would change for all of them'],
      [`holter connect ${kind} --remove`, 'take the hooks out again'],
    ],
  ).action((kind: string, options: ConnectOptions) => connectKind(io, kind, options));
}

function connectKind(io: Io, kind: string, options: ConnectOptions): void {
  refuseAgents(io, 'connect');
  const adapter = adapterNamed(kind);
  if (!isConnectable(adapter)) {
    const next = KINDS.map(({ name }) => `holter connect ${name}`).join(', or ');
    throw new CliFailure(`${kind} can't be connected yet`, next, EXIT.usage);
  }
  const { env, workingDirectory } = io;
  const path = adapter.connect.file({ env, workingDirectory, isForUser: options.user === true });
  const before = readSettings(path);
  const after = changed(io, adapter, path, before, options);
  if (after === before) {
    io.out(`${path}: ${options.remove ? 'no hooks of Holter in it' : 'connected already'}, nothing to do\n`);
    return;
  }
  showDiff(io, path, before ?? '', after ?? '');
  if (options.dryRun) {
    io.out('nothing was changed (--dry-run)\n');
    return;
  }
  writeSettings(path, before, after);
  if (before !== null) io.out(`as it was before: ${backupOf(path)}\n`);
  io.out(options.remove ? 'taken out\n' : 'connected: sessions that start from now on report to Holter\n');
  if (!options.remove && !options.tokenEnv && !options.user) warnOfGit(io, path);
}

function changed(
  io: Io,
  { connect }: Connectable,
  path: string,
  before: string | null,
  options: ConnectOptions,
): string | null {
  try {
    return options.remove ? connect.remove(before) : connect.add(before, targetFor(io, options));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    throw new CliFailure(`${path} ${error.message}`, error.next);
  }
}

function targetFor(io: Io, options: ConnectOptions): { serverUrl: string; header: HookHeader } {
  const { url, token } = findServer(io, options, 'enroll');
  if (options.tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(options.tokenEnv))
    throw new CliFailure(`${options.tokenEnv} is no name of a variable`, null, EXIT.usage);
  if (options.tokenEnv === undefined && token === null)
    throw new CliFailure('there is no token for that server', 'HOLTER_TOKEN=… or --token-env NAME');
  const header = options.tokenEnv === undefined ? { token: token ?? '' } : { variable: options.tokenEnv };
  return { serverUrl: url, header };
}

function showDiff(io: Io, path: string, before: string, after: string): void {
  const paint = painter(io);
  const colours = { '-': 'red', '+': 'green', ' ': 'dim' } as const;
  io.out(`${path}\n`);
  for (const { sign, text } of lineDiff(hideTokens(before), hideTokens(after)))
    io.out(`${paint(colours[sign], `${sign} ${text}`)}\n`);
}

/** Hides secrets, which must not stay in the scrollback of a terminal. */
const hideTokens = (text: string): string => text.replace(/hlt_[\w-]+/g, 'hlt_…');

/** An agent that creates this file makes git ignore it; a file created here may not be ignored. */
function warnOfGit(io: Io, path: string): void {
  try {
    execFileSync('git', ['check-ignore', '-q', path], { cwd: io.workingDirectory, stdio: 'ignore' });
  } catch (error) {
    if ((error as { status?: number }).status !== 1) return;
    const name = relative(io.workingDirectory, path);
    io.err(`it holds a token, and git does not ignore it: add ${name} to .gitignore\n`);
  }
}
