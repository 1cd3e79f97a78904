import { resolve } from 'node:path';
import { type Client, ClientError, type TaskInput, type TaskView } from '@holter/server/local';
import type { Command } from 'commander';
import { ask, clientOf, inWords } from '../client/ask.ts';
import {
  type Connection,
  findServer,
  type PrintOptions,
  refuseAgents,
  withServer,
} from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/paint.ts';
import { counted } from '../terminal/words.ts';

type ImportOptions = PrintOptions & { readonly dryRun?: boolean };
type Edits = Awaited<ReturnType<typeof import('@holter/server')['readEcosEdits']>>;
type Change = { readonly agentId: string; readonly body: TaskInput };

/** `holter import`: takes over what others keep in files. */
export function registerImport(program: Command, io: Io): void {
  const command = program.command('import').description('import edits that were made to files in a project');
  withExamples(
    withServer(
      command
        .command('ecos')
        .description('import edits made to task-tracking.json and heartbeat-config.json')
        .argument('<dir>', 'the project, or its .ecos folder')
        .option('--dry-run', 'only say what would change')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter import ecos . --dry-run', 'what the files of this project would change'],
      ['holter import ecos ~/project', 'change it'],
    ],
  ).action((dir: string, options: ImportOptions) => importEcos(io, dir, options));
}

async function importEcos(io: Io, dir: string, { dryRun, json, ...options }: ImportOptions): Promise<void> {
  refuseAgents(io, 'import');
  const { readEcosEdits, forgetEcosEdits } = await import('@holter/server');
  const folder = resolve(io.workingDirectory, dir);
  const edits = await readEcosEdits(folder);
  if (edits.read.length === 0 && edits.problems.length === 0)
    throw new CliFailure(
      `there are no files of ECOS in ${folder}`,
      'name the project whose .ecos/agent-health has them',
    );
  const connection = findServer(io, options, 'operator');
  const problems = [...edits.problems];
  const changes = await changesOf(connection, edits, problems);
  const settings = await settingsOf(connection, edits, problems);
  const done: Change[] = [];
  for (const change of changes) {
    const failure = dryRun ? null : await attempt(connection, change);
    if (failure === null) done.push(change);
    else problems.push(`${change.agentId} ${change.body.taskId}: ${failure}`);
  }
  if (!dryRun && problems.length === 0) await forgetEcosEdits(folder);
  if (problems.length > 0) io.setExitCode(EXIT.error);
  if (json) return io.out(`${JSON.stringify({ read: edits.read, changes: done, settings, problems })}\n`);
  for (const { agentId, body } of done)
    io.out(printable(`${agentId}: task ${body.taskId} ${body.status}`).concat('\n'));
  io.out(`${counted(done.length, 'change')}${dryRun ? ' would be made' : ' made'}\n`);
  if (settings.length > 0)
    io.out(
      `how often agents beat is a matter of holter.yaml; add there, then send the server SIGHUP:\nagents:\n${settings.map((line) => `  ${line}\n`).join('')}`,
    );
  for (const problem of problems) io.err(printable(`not taken over: ${problem}`).concat('\n'));
}

async function attempt(connection: Connection, { agentId, body }: Change): Promise<string | null> {
  try {
    await ask(connection, (client) => client.task(agentId, body));
    return null;
  } catch (error) {
    if (error instanceof CliFailure) return error.message;
    throw error;
  }
}

/** What differs from what Holter knows. Times of progress are Holter's own, and are not taken over. */
async function changesOf(
  connection: Connection,
  { tasks }: Edits,
  problems: string[],
): Promise<readonly Change[]> {
  const known = new Map<string, readonly TaskView[] | null>();
  const changes: Change[] = [];
  for (const { agentId, taskId, description, expectedAt, percent, status } of tasks) {
    if (!known.has(agentId))
      known.set(
        agentId,
        await orNull(connection, (client) => client.tasks({ agentId, status: 'all' })).then(
          (page) => page?.tasks ?? null,
        ),
      );
    const list = known.get(agentId);
    if (!list) {
      problems.push(`${agentId} ${taskId}: no agent with the id ${agentId}`);
      continue;
    }
    const open = list.find((each) => each.taskId === taskId && each.status === 'in_progress');
    const ended = list.some((each) => each.taskId === taskId && each.status !== 'in_progress');
    if (status !== 'in_progress') {
      if (open) changes.push({ agentId, body: { status, taskId } });
      continue;
    }
    if (ended && !open) continue;
    const isOther =
      !open ||
      (description !== '' && description !== open.description) ||
      (expectedAt !== null &&
        Math.floor(Date.parse(expectedAt) / 1_000) !== Math.floor((open.expectedAt ?? 0) / 1_000));
    if (isOther)
      changes.push({
        agentId,
        body: {
          status: 'assigned',
          taskId,
          ...(description !== '' && { description }),
          ...(expectedAt !== null && { expectedAt }),
        },
      });
    if (percent !== (open?.percent ?? 0))
      changes.push({ agentId, body: { status: 'updated', taskId, percent } });
  }
  return changes;
}

/** Lines of `agents:` in holter.yaml. */
async function settingsOf(
  connection: Connection,
  { heartbeats }: Edits,
  problems: string[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [agentId, { interval_seconds: interval, missed_threshold: missed }] of Object.entries(
    heartbeats,
  )) {
    const agent = await orNull(connection, (client) => client.agent(agentId));
    if (!agent) {
      problems.push(`${agentId}: no agent with the id ${agentId}`);
      continue;
    }
    const { role, group, promises } = agent;
    const { settings } = await ask(connection, (client) => client.config({ agentId, role, group }));
    const now = (path: string) => settings.find((each) => each.path === path)?.value;
    const promised = promises.beatEverySeconds;
    const differs = [
      ...(interval !==
      (promised ?? now('interval_seconds') ?? now('health_monitoring.heartbeat.interval_seconds'))
        ? [`interval_seconds: ${interval}`]
        : []),
      ...(missed !== now('missed_threshold') ? [`missed_threshold: ${missed}`] : []),
    ];
    if (differs.length > 0) lines.push(`${JSON.stringify(agentId)}: { ${differs.join(', ')} }`);
  }
  return lines;
}

/** Null for an agent that is not known. */
async function orNull<T>(
  connection: Connection,
  question: (client: Client) => Promise<T>,
): Promise<T | null> {
  try {
    return await question(clientOf(connection));
  } catch (error) {
    if (error instanceof ClientError && error.code === 'unknown_agent') return null;
    throw inWords(error, connection);
  }
}
