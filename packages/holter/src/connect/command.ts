import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeFolder, type HookHeader, hookSettings } from '@holter/server/claude-code';
import { type Command, Option } from 'commander';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { lineDiff } from './line-diff.ts';
import { type ClaudeSettings, withHooks, withoutHooks } from './merge-hooks.ts';
import { backupOf, readSettings, textFor, writeSettings } from './settings-file.ts';

type ConnectOptions = ServerOptions & {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly tokenEnv?: string;
};

export function registerConnect(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('connect')
        .description('have an agent that you start yourself report to Holter')
        .argument('<agent-kind>', 'claude-code')
        .addOption(
          new Option('--project', 'for this folder: .claude/settings.local.json (the default)').conflicts(
            'user',
          ),
        )
        .option('--user', 'for all your projects: ~/.claude/settings.json')
        .option('--remove', 'take it out again')
        .option('--dry-run', 'show what would change, and change nothing')
        .option(
          '--token-env <name>',
          'write the name of a variable that holds the token, not the token itself',
        ),
    ),
    [
      ['holter connect claude-code', 'Claude Code sessions in this folder report to Holter'],
      ['holter connect claude-code --user --dry-run', 'what would change for all of them'],
      ['holter connect claude-code --remove', 'take the hooks out again'],
    ],
  ).action((kind: string, options: ConnectOptions) => connect(io, kind, options));
}

function connect(io: Io, kind: string, options: ConnectOptions): void {
  refuseAgents(io, 'connect');
  if (kind !== 'claude-code')
    throw new CliFailure(`${kind} can't be connected yet`, 'holter connect claude-code', EXIT.usage);
  const path = settingsPath(io, options);
  const file = readSettings(path);
  const wanted = options.remove
    ? withoutHooks(file.settings)
    : withHooks(file.settings, hooksFor(io, options));
  // Compared by what it says: somebody else's indentation is no reason to write.
  if (isSame(file.settings, wanted)) {
    io.out(`${path}: ${options.remove ? 'no hooks of Holter in it' : 'connected already'}, nothing to do\n`);
    return;
  }
  const text = textFor(file, wanted);
  showDiff(io, path, file.text ?? '', text ?? '');
  if (options.dryRun) {
    io.out('nothing was changed (--dry-run)\n');
    return;
  }
  writeSettings(file, text);
  if (file.text !== null) io.out(`as it was before: ${backupOf(path)}\n`);
  io.out(options.remove ? 'taken out\n' : 'connected: sessions that start from now on report to Holter\n');
  if (!options.remove && !options.tokenEnv && !options.user) warnOfGit(io, path);
}

function settingsPath(io: Io, { user }: ConnectOptions): string {
  const { env, workingDirectory } = io;
  if (!user) return join(workingDirectory, '.claude', 'settings.local.json');
  return join(claudeFolder({ HOME: homedir(), ...env }), 'settings.json');
}

function hooksFor(io: Io, options: ConnectOptions): ReturnType<typeof hookSettings> {
  const { url, token } = findServer(io, options, 'enroll');
  if (options.tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(options.tokenEnv))
    throw new CliFailure(`${options.tokenEnv} is no name of a variable`, null, EXIT.usage);
  if (options.tokenEnv === undefined && token === null)
    throw new CliFailure('there is no token for that server', 'HOLTER_TOKEN=… or --token-env NAME');
  const header: HookHeader =
    options.tokenEnv === undefined ? { token: token ?? '' } : { variable: options.tokenEnv };
  return hookSettings(url, header);
}

const isSame = (one: ClaudeSettings, other: ClaudeSettings): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function showDiff(io: Io, path: string, before: string, after: string): void {
  const paint = painter(io);
  const colours = { '-': 'red', '+': 'green', ' ': 'dim' } as const;
  io.out(`${path}\n`);
  for (const { sign, text } of lineDiff(hideTokens(before), hideTokens(after)))
    io.out(`${paint(colours[sign], `${sign} ${text}`)}\n`);
}

/** A terminal's scrollback is no place for a secret. */
const hideTokens = (text: string): string => text.replace(/hlt_[\w-]+/g, 'hlt_…');

/** Claude Code has git ignore this file when it makes it itself; here it may not have been there. */
function warnOfGit(io: Io, path: string): void {
  try {
    execFileSync('git', ['check-ignore', '-q', path], { cwd: io.workingDirectory, stdio: 'ignore' });
  } catch (error) {
    if ((error as { status?: number }).status !== 1) return;
    io.err('it holds a token, and git does not ignore it: add .claude/settings.local.json to .gitignore\n');
  }
}
