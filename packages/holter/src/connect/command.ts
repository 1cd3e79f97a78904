import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import {
  ADAPTERS,
  type Adapter,
  AdapterError,
  adapterNamed,
  type HookTarget,
  isHookSecret,
} from '@holter/server/adapters';
import { DataFolder, dataFolderPath } from '@holter/server/local';
import { type Command, Option } from 'commander';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { revokeTokenOf, secretOf, tokenFor, userName } from './hook-token.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';
import { sessionStartCommand } from './session-start.ts';
import { backupOf, keepSettings, readSettings, restoreSettings, writeSettings } from './settings-file.ts';

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
        .description('let sessions that you start yourself report to Holter')
        .argument('<agent-kind>', KINDS.map(({ name }) => name).join(', '))
        .addOption(
          new Option('--project', `for this folder: ${filesFor(false)} (the default)`).conflicts('user'),
        )
        .option('--user', `for all your projects: ${filesFor(true)}`)
        .option('--remove', 'remove the hooks')
        .option('--dry-run', 'show what would change, and change nothing')
        .option('--token-env <name>', 'write the name of an environment variable instead of the token'),
    ),
    [
      [`holter connect ${kind}`, 'sessions in this folder report to Holter'],
      [`holter connect ${kind} --user --dry-run`, 'what would change for all your projects'],
      [`holter connect ${kind} --remove`, 'remove the hooks'],
    ],
  ).action((kind: string, options: ConnectOptions) => connectKind(io, kind, options));
}

async function connectKind(io: Io, kind: string, options: ConnectOptions): Promise<void> {
  refuseAgents(io, 'connect');
  const adapter = adapterNamed(kind);
  if (!isConnectable(adapter)) {
    const next = KINDS.map(({ name }) => `holter connect ${name}`).join(', or ');
    throw new CliFailure(`${kind} can't be connected yet`, next, EXIT.usage);
  }
  const { connect } = adapter;
  const { env, workingDirectory } = io;
  const path = connect.file({ env, workingDirectory, isForUser: options.user === true });
  const before = readSettings(path);
  const { old, withoutHolter } = understood(path, () => ({
    old: connect.find(before),
    withoutHolter: connect.remove(before),
  }));
  const after = options.remove ? withoutHolter : connect.add(before, await targetFor(io, options, old));
  if (after === before) {
    io.out(`${path}: ${options.remove ? 'no hooks of Holter in it' : 'connected already'}, nothing to do\n`);
    return;
  }
  if (options.dryRun) {
    showChanges(io, path, lineDiff(hideTokens(before ?? ''), hideTokens(after ?? '')));
    io.out('nothing was changed (--dry-run)\n');
    return;
  }
  if (options.remove) {
    takeOut(path, connect, old, withoutHolter);
    io.out('disconnected: sessions that start from now on do not report to Holter\n');
    io.out(`  changed  ${path} (hooks of Holter removed)\n`);
  } else {
    putIn(path, connect, { before, after });
    io.out('connected: sessions that start from now on report to Holter\n');
    const isKept = readSettings(backupOf(path)) !== null;
    io.out(`  changed  ${path} (hooks added)\n`);
    if (isKept) io.out(`  before   ${backupOf(path)}\n`);
    io.out(`  undo     holter connect ${kind}${options.user ? ' --user' : ''} --remove\n`);
  }
  if (old) await discard(io, options, old);
  if (options.remove) return;
  if (options.tokenEnv)
    io.out(
      `${options.tokenEnv} must hold a hook token: holter token create --role hook --user ${userName()}\n`,
    );
  else if (!options.user) warnOfGit(io, path);
}

/** The first backup is the user's own file: connecting again leaves it alone. */
function putIn(
  path: string,
  connect: Connectable['connect'],
  { before, after }: { readonly before: string | null; readonly after: string | null },
): void {
  const backup = readSettings(backupOf(path));
  // An earlier version kept a copy with hooks, and with the token in them.
  if (backup !== null && connect.find(backup)) writeSettings(backupOf(path), connect.remove(backup));
  if (before !== null && connect.find(before) === null) keepSettings(path);
  writeSettings(path, after);
}

/** The very file from before, unless the rest of it was changed since. */
function takeOut(
  path: string,
  connect: Connectable['connect'],
  old: HookTarget | null,
  withoutHolter: string | null,
): void {
  const backup = readSettings(backupOf(path));
  // Connecting drops lists that are empty, so the backup is compared as it would come out again.
  const asRemoved = (text: string): string | null => connect.remove(old ? connect.add(text, old) : text);
  if (backup !== null && connect.isSame(asRemoved(backup), withoutHolter)) restoreSettings(path);
  else writeSettings(path, withoutHolter);
}

function understood<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    throw new CliFailure(`${path} ${error.message}`, error.next);
  }
}

async function targetFor(io: Io, options: ConnectOptions, old: HookTarget | null): Promise<HookTarget> {
  const server = findServer(io, options, 'operator');
  const { tokenEnv, dryRun = false } = options;
  if (tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(tokenEnv))
    throw new CliFailure(`${tokenEnv} is not the name of an environment variable`, null, EXIT.usage);
  const header =
    tokenEnv === undefined ? { token: await tokenFor(server, old, dryRun) } : { variable: tokenEnv };
  return { serverUrl: server.url, header, ...startCommandFor(io, options, server.url) };
}

/** For a server that is found by its data folder: only such a one can be started from here. */
function startCommandFor(io: Io, { data }: ConnectOptions, url: string): Pick<HookTarget, 'startCommand'> {
  const folder = new DataFolder(dataFolderPath(data, io.env));
  if (folder.readServer()?.url !== url) return {};
  return { startCommand: sessionStartCommand(folder.path) };
}

/** Revokes the token that was in the settings: copies of it may lie elsewhere. */
async function discard(io: Io, options: ConnectOptions, old: HookTarget): Promise<void> {
  const secret = secretOf(old);
  if (secret === null) return;
  if (!isHookSecret(secret)) {
    io.out('the token that the file contained could register agents; it has been removed from the file\n');
    return;
  }
  try {
    if (await revokeTokenOf(findServer(io, options, 'operator'), old))
      io.out('  token    the previous one is revoked\n');
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    io.err(`its token could not be revoked: ${error.message}\n`);
    io.err('revoke it with an operator token: holter token list, then holter token revoke ID\n');
  }
}

function showChanges(io: Io, path: string, changes: readonly DiffLine[]): void {
  const paint = painter(io);
  const colours = { '-': 'red', '+': 'green', ' ': 'dim' } as const;
  io.out(`${path}\n`);
  for (const { sign, text } of changes) io.out(`${paint(colours[sign], `${sign} ${text}`)}\n`);
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
