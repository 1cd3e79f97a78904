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
import { NoAnswer } from '../background/http-call.ts';
import { version } from '../package/version.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import type { Terminal } from './child.ts';
import { CODE, exitCodeOf, RunFailure } from './end.ts';
import type { RunOptions } from './options.ts';
import { planOf } from './plan.ts';
import { type RunReport, reportOf, summaryOf, unwatchedReport } from './report.ts';
import { runCommand } from './run-command.ts';
import type { RunContext } from './run-context.ts';
import { namedTarget, ServerLink } from './server-link.ts';
import { Supervisor } from './supervisor.ts';
import { guardTerminal } from './terminal-guard.ts';
import { keepTerminal } from './terminal-state.ts';
import { runUnwatched } from './unwatched.ts';
import { readWorkingDirectory } from './working-directory.ts';

/** Runs `holter run`; returns the exit code. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const say = (line: string): void => void process.stderr.write(`holter: ${line}\n`);
  try {
    const command = runCommand()
      .name('holter run')
      .passThroughOptions()
      .exitOverride()
      .showHelpAfterError('(holter run --help shows examples)');
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
  const directory = await readWorkingDirectory(process.cwd(), options.config, env, say);
  const restoreTerminal = keepTerminal(terminal);
  const guard = guardTerminal(terminal, plan.agentId);
  const started = (pid: number): void => guard?.follow(pid);
  const unwatched = async (error: unknown): Promise<number> => {
    if (!isUnusable(error)) throw error;
    if (options.required) throw new RunFailure(CODE.unusable, `Holter can't be used: ${error.message}`);
    say(`Holter can't be used, and the command runs unwatched: ${error.message}`);
    guard?.release();
    const end = await runUnwatched(plan.argv, env, terminal);
    if (options.json) printReport(unwatchedReport(plan.agentId, end, clock.now() - startedAt), false);
    return exitCodeOf(end);
  };
  const begun = await begin({ options, plan, directory, terminal, clock, env, newId, say, started }).catch(
    unwatched,
  );
  if (typeof begun === 'number') return begun;
  const { supervisor, close } = begun;
  try {
    const refused = await supervisor.prepare().catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
    if (refused) return await unwatched(refused);
    // With a terminal the system sends Ctrl-C to the whole group, so the command already got it.
    process.on('SIGINT', () => supervisor.passOn('SIGINT', plan.isInteractive));
    process.on('SIGQUIT', () => supervisor.passOn('SIGQUIT', plan.isInteractive));
    process.on('SIGTERM', () => supervisor.passOn('SIGTERM', false));
    process.on('SIGHUP', () => supervisor.passOn('SIGHUP', false));
    const over = await supervisor.run();
    if (over.end.signal !== null) restoreTerminal();
    const report = reportOf({ ...over, agentId: plan.agentId, durationMs: clock.now() - startedAt });
    for (const line of summaryOf(report, over.end, plan.can.includes('spawn'))) say(line);
    if (options.json) printReport(report, supervisor.hasOpenLine);
    return report.exitCode;
  } finally {
    guard?.release();
    await close();
  }
}

const printReport = (report: RunReport, hasOpenLine: boolean): void =>
  void process.stdout.write(`${hasOpenLine ? '\n' : ''}${JSON.stringify(report)}\n`);

type Begun = { readonly supervisor: Supervisor; readonly close: () => Promise<void> };

/** Everything that needs Holter to work, before the command is started. */
async function begin(
  given: Omit<RunContext, 'link' | 'folder' | 'table' | 'hostId' | 'run' | 'sha256'>,
): Promise<Begun> {
  const { options, env, clock, say } = given;
  const table = systemTable();
  if (!table) throw new RunFailure(CODE.error, 'processes can only be watched on Linux and macOS');
  const own = table.row(process.pid);
  if (!own) throw new RunFailure(CODE.error, "this process can't be seen in the table of processes");
  const folder = new DataFolder(dataFolderPath(options.data, env));
  const hosted = options.daemon ? null : await host(folder, options.config);
  const named = namedTarget(options, env, folder);
  const { daemon: canStart, config } = options;
  const link = new ServerLink({ folder, clock, version, env, named, canStart, config, say });
  const close = async (): Promise<void> => {
    link.close();
    await hosted?.stop();
  };
  try {
    await link.connect();
    const supervisor = new Supervisor({
      ...given,
      link,
      folder,
      table,
      hostId: systemHostId(),
      run: identityOf(table, own),
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    });
    return { supervisor, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether Holter itself does not work here; a wrong option is the user's to correct. */
const isUnusable = (error: unknown): error is Error =>
  error instanceof CliFailure
    ? error.exitCode === EXIT.error
    : error instanceof NoAnswer || (error instanceof Error && 'syscall' in error);

/** Loads the server's code only when it is needed: it is several times as large as everything else here. */
async function host(folder: DataFolder, config: string | undefined): Promise<{ stop(): Promise<void> }> {
  const { hostServer } = await import('../background/hosted-server.ts');
  return hostServer({ folder, config, log: () => undefined, logLevel: 'silent' });
}
