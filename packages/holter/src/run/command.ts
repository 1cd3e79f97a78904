import { createHash } from 'node:crypto';
import { AdapterError } from '@holter/server/adapters';
import {
  DataFolder,
  dataFolderPath,
  identityOf,
  realClock,
  realDice,
  systemHostId,
  systemTable,
} from '@holter/server/process';
import { CommanderError } from 'commander';
import type { Target } from '../background/http-call.ts';
import { version } from '../package/version.ts';
import { CliFailure } from '../terminal/failure.ts';
import type { Terminal } from './child.ts';
import { CODE, exitCodeOf, RunFailure } from './end.ts';
import type { RunOptions } from './options.ts';
import { planOf } from './plan.ts';
import { reportOf, summaryOf } from './report.ts';
import { runCommand } from './run-command.ts';
import { ServerLink } from './server-link.ts';
import { Supervisor } from './supervisor.ts';
import { keepTerminal } from './terminal-state.ts';
import { readWorkingDirectory } from './working-directory.ts';

/** Runs `holter run`; returns the exit code. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`holter: ${line}\n`);
  try {
    const command = runCommand().name('holter run').passThroughOptions().exitOverride();
    command.parse([...argv], { from: 'user' });
    return await supervise(command.opts<RunOptions>(), command.args, say);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : CODE.usage;
    if (!(error instanceof CliFailure || error instanceof AdapterError)) throw error;
    say(error.message);
    return error instanceof CliFailure ? error.exitCode : CODE.usage;
  }
}

async function supervise(
  options: RunOptions,
  command: readonly string[],
  say: (line: string) => void,
): Promise<number> {
  const { env, stdin, stdout, stderr } = process;
  const terminal: Terminal = {
    input: stdin.isTTY === true,
    output: stdout.isTTY === true,
    error: stderr.isTTY === true,
  };
  const clock = realClock();
  const startedAt = clock.now();
  const { newId } = realDice;
  const plan = planOf(options, command, terminal, env, process.cwd(), newId, () => clock.now());
  const table = systemTable();
  if (!table) throw new RunFailure(CODE.error, 'processes can only be watched on Linux and macOS');
  const directory = await readWorkingDirectory(process.cwd(), options.config, env, say);
  const folder = new DataFolder(dataFolderPath(options.data, env));
  const hosted = options.daemon ? null : await host(folder, options.config);
  const link = new ServerLink({
    folder,
    clock,
    version,
    env,
    named: namedTarget(options, env, folder),
    canStart: options.daemon,
    config: options.config,
    say,
  });
  const own = table.row(process.pid);
  if (!own) throw new RunFailure(CODE.error, 'this process can not be seen in the table of processes');
  const restoreTerminal = keepTerminal(terminal);
  try {
    await link.connect();
    const supervisor = new Supervisor({
      options,
      plan,
      directory,
      terminal,
      link,
      folder,
      clock,
      table,
      hostId: systemHostId(),
      run: identityOf(table, own),
      env,
      newId,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      say,
    });
    // With a terminal the system sends Ctrl-C to the whole group, so the command already got it.
    process.on('SIGINT', () => supervisor.passOn('SIGINT', plan.isInteractive));
    process.on('SIGQUIT', () => supervisor.passOn('SIGQUIT', plan.isInteractive));
    process.on('SIGTERM', () => supervisor.passOn('SIGTERM', false));
    process.on('SIGHUP', () => supervisor.passOn('SIGHUP', false));
    const over = await supervisor.run();
    if (over.end.signal !== null) restoreTerminal();
    const report = reportOf({ ...over, agentId: plan.agentId, durationMs: clock.now() - startedAt });
    for (const line of summaryOf(report, over.end, plan.can.includes('spawn'))) say(line);
    if (options.json)
      process.stdout.write(`${supervisor.hasOpenLine ? '\n' : ''}${JSON.stringify(report)}\n`);
    return exitCodeOf(over.end);
  } finally {
    link.close();
    await hosted?.stop();
  }
}

/** Loads the server's code only when it is needed: it is several times as large as everything else here. */
async function host(folder: DataFolder, config: string | undefined): Promise<{ stop(): Promise<void> }> {
  const { hostServer } = await import('../background/hosted-server.ts');
  return hostServer({ folder, config, log: () => undefined, logLevel: 'silent' });
}

/** A server named by option or environment. The environment of an agent contains only that agent's own token. */
function namedTarget({ url, data }: RunOptions, env: NodeJS.ProcessEnv, folder: DataFolder): Target | null {
  const isAgent = Boolean(env.HOLTER_AGENT_ID);
  const named = url ?? (data === undefined && !isAgent ? env.HOLTER_URL || undefined : undefined);
  if (named === undefined) return null;
  const clean = named.replace(/\/+$/, '');
  const isLocal = folder.readServer()?.url === clean;
  const token = (isAgent ? null : env.HOLTER_TOKEN) || (isLocal ? folder.readToken('operator') : null);
  return { url: clean, token };
}
