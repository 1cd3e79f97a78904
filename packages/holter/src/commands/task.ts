import type { TaskInput, TaskView } from '@holter/server/local';
import { parseDuration } from '@holter/server/policy';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter, printable } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';

type ListOptions = PrintOptions & {
  readonly agent?: string;
  readonly group?: string;
  readonly status: 'in_progress' | 'stalled' | 'done' | 'failed' | 'cancelled' | 'all';
};
type AssignOptions = PrintOptions & {
  readonly description?: string;
  readonly due?: Due;
  readonly expectedMinutes?: number;
};
type UpdateOptions = PrintOptions & {
  readonly percent?: number;
  readonly note?: string;
  readonly cannotContinue?: boolean;
};
type EndOptions = PrintOptions & { readonly outcome: 'done' | 'failed' | 'cancelled' };

/** By the clock of the server where it is a duration. */
type Due = { readonly expectedInSeconds: number } | { readonly expectedAt: string };

/** Pages of a long list that are printed; the rest is a matter for a filter. */
const PAGES_MAX = 100;

/** `holter task`: the tasks of agents, by which their progress is judged. */
export function registerTask(program: Command, io: Io): void {
  const task = program.command('task').description('list, assign, update and end the tasks of agents');
  const plain = (name: string, does: string): Command =>
    withServer(task.command(name).description(does).option('--json', 'print JSON'));
  const command = (name: string, does: string): Command =>
    plain(name, does).argument('<agent>', 'the id of the agent').argument('<task>', 'the id of the task');

  withExamples(
    plain('list', 'list tasks, by agent')
      .option('--agent <id>', 'only tasks of this agent')
      .option('--group <name>', 'only tasks of agents of this group')
      .addOption(
        new Option('--status <word>', 'only tasks in this state')
          .choices(['in_progress', 'stalled', 'done', 'failed', 'cancelled', 'all'])
          .default('in_progress'),
      ),
    [
      ['holter task list', 'every open task'],
      ['holter task list --status stalled', 'past their expected end, without an update'],
    ],
  ).action((options: ListOptions) => list(io, options));

  withExamples(command('show', 'show one task'), [
    ['holter task show worker-7 T-42', 'what it is, how far it is, when it is due'],
  ]).action(async (agentId: string, taskId: string, options: PrintOptions) => {
    const connection = findServer(io, options, 'viewer');
    const shown = await ask(connection, (client) => client.taskOf(agentId, taskId));
    io.out(options.json ? `${JSON.stringify(shown)}\n` : detailsOf(shown));
  });

  withExamples(
    command('assign', 'assign a task to an agent, or change an open one')
      .option('-d, --description <text>', 'what is to be done')
      .option('--due <when>', 'when it should be done: a time, or a duration from now', due)
      .option('--expected-minutes <n>', 'the same, in minutes from now', positive),
    [
      ['holter task assign worker-7 T-42 -d "Draw the boxes" --due 90m', 'due in an hour and a half'],
      ['holter task assign worker-7 T-42 --due 2026-12-24T18:00:00Z', 'due at this time'],
    ],
  ).action(
    (
      agentId: string,
      taskId: string,
      { description, due: at, expectedMinutes, ...options }: AssignOptions,
    ) => {
      if (at && expectedMinutes !== undefined)
        throw new CliFailure('give --due or --expected-minutes, not both', null, EXIT.usage);
      return tell(io, agentId, options, {
        status: 'assigned',
        taskId,
        ...(description !== undefined && { description }),
        ...at,
        ...(expectedMinutes !== undefined && { expectedInSeconds: expectedMinutes * 60 }),
      });
    },
  );

  withExamples(
    command('update', 'report progress on a task')
      .option('--percent <n>', 'how much is done, 0 to 100', percent)
      .option('--note <text>', 'what is new, or why it takes longer')
      .option('--cannot-continue', 'in the terminal of the agent: it cannot go on with this task'),
    [
      ['holter task update worker-7 T-42 --percent 60', 'more than half'],
      ['holter task update worker-7 T-42 --note "waiting for the reviewer"', 'explains a delay'],
    ],
  ).action(
    (agentId: string, taskId: string, { percent: done, note, cannotContinue, ...options }: UpdateOptions) => {
      const body = {
        status: 'updated' as const,
        taskId,
        ...(done !== undefined && { percent: done }),
        ...(note && { note }),
      };
      if (isOwn(io, agentId))
        return report(io, options, agentId, { ...body, ...(cannotContinue && { cannotContinue }) });
      if (cannotContinue)
        throw new CliFailure(
          'only an agent can say that it cannot continue',
          `end the task instead: holter task end ${agentId} ${taskId} --outcome failed`,
          EXIT.usage,
        );
      return tell(io, agentId, options, body);
    },
  );

  withExamples(
    command('end', 'end a task').addOption(
      new Option('--outcome <word>', 'how it ended').choices(['done', 'failed', 'cancelled']).default('done'),
    ),
    [['holter task end worker-7 T-42 --outcome cancelled', 'it is no longer needed']],
  ).action((agentId: string, taskId: string, { outcome, ...options }: EndOptions) =>
    isOwn(io, agentId)
      ? report(io, options, agentId, { status: outcome, taskId })
      : tell(io, agentId, options, { status: outcome, taskId }),
  );
}

/** In its own terminal an agent reports about its own tasks. */
const isOwn = ({ env }: Io, agentId: string): boolean => env.HOLTER_AGENT_ID === agentId;

const VERBS: Readonly<Partial<Record<TaskInput['status'], string>>> = {
  assigned: 'assign',
  updated: 'update',
};

async function tell(io: Io, agentId: string, options: PrintOptions, body: TaskInput): Promise<void> {
  refuseAgents(io, `task ${VERBS[body.status] ?? 'end'}`);
  const connection = findServer(io, options, 'operator');
  const answer = await ask(connection, (client) => client.task(agentId, body));
  io.out(options.json ? `${JSON.stringify(answer)}\n` : told(agentId, body));
}

type Report = Exclude<TaskInput, { status: 'assigned' }> & { readonly cannotContinue?: true };

async function report(io: Io, options: PrintOptions, agentId: string, body: Report): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const { status, ...said } = body;
  const signal =
    status === 'updated'
      ? { kind: 'task-updated', ...said }
      : { kind: 'task-ended', ...said, outcome: status };
  await ask(connection, (client) => client.taskOf(agentId, body.taskId));
  const answer = await ask(connection, (client) => client.signal(agentId, signal));
  io.out(options.json ? `${JSON.stringify(answer)}\n` : told(agentId, body));
}

const told = (agentId: string, { taskId, status }: TaskInput): string =>
  printable(`${agentId}: task ${taskId} ${status}`).concat('\n');

async function list(io: Io, { agent, group, status, json, ...options }: ListOptions): Promise<void> {
  const connection = findServer(io, options, 'viewer');
  const tasks: TaskView[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await ask(connection, (client) => client.tasks({ agentId: agent, group, status, cursor }));
    tasks.push(...page.tasks);
    cursor = page.nextCursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined && pages < PAGES_MAX);
  if (json) return io.out(`${JSON.stringify(tasks)}\n`);
  if (tasks.length === 0) return io.out(status === 'in_progress' ? 'no open tasks\n' : 'no such tasks\n');
  const rows = tasks.map((each) => [
    each.agentId,
    `${each.taskId}${each.isCurrent ? ' *' : ''}`,
    each.isStalled ? 'stalled' : each.status,
    each.percent === null ? '–' : `${each.percent} %`,
    clockTime(each.expectedAt),
    clockTime(each.updatedAt),
    each.description ?? '',
  ]);
  const titles = ['agent', 'task', 'status', 'done', 'expected', 'last update'];
  const columns = [...titles.map((title) => ({ title })), { title: 'description', canShrink: true as const }];
  const note = tasks.some(({ isCurrent }) => isCurrent) ? '* the agent works on it now\n' : '';
  io.out(`${table(columns, rows, io.width, painter(io))}${note}`);
}

function detailsOf(task: TaskView): string {
  const status = task.isStalled ? 'in_progress, stalled' : task.status;
  const lines: readonly (readonly [string, string | null])[] = [
    ['task', `${task.taskId} of ${task.agentId}${task.isCurrent ? ', which works on it now' : ''}`],
    ['description', task.description],
    ['status', status],
    ['done', task.percent === null ? null : `${task.percent} %`],
    ['assigned', clockTime(task.assignedAt)],
    ['expected', task.expectedAt === null ? 'no time is known' : clockTime(task.expectedAt)],
    ['last update', clockTime(task.updatedAt)],
    ['asked', task.inquiredAt === null ? null : clockTime(task.inquiredAt)],
    ['ended', task.endedAt === null ? null : clockTime(task.endedAt)],
  ];
  return lines
    .flatMap(([label, text]) => (text === null ? [] : [`${label.padEnd(13)}${printable(text)}\n`]))
    .join('');
}

const clockTime = (at: number | null): string =>
  at === null ? '–' : `${new Date(at).toISOString().slice(0, 19)}Z`;

function due(text: string): Due {
  const duration = parseDuration(text);
  if (duration !== undefined && duration > 0) return { expectedInSeconds: duration / 1_000 };
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at.getTime())) return { expectedAt: at.toISOString() };
  throw new InvalidArgumentError(
    "write a time like '2026-12-24T18:00:00Z', or a duration like '90m' or '2h'.",
  );
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('a number above 0 is needed.');
}

function percent(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 100) return value;
  throw new InvalidArgumentError('a number from 0 to 100 is needed.');
}
