import type { TaskInput } from '@holter/server/local';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type AssignOptions = PrintOptions & { readonly expectedMinutes?: number };
type UpdateOptions = PrintOptions & { readonly percent?: number; readonly note?: string };
type EndOptions = PrintOptions & { readonly outcome: 'done' | 'failed' | 'cancelled' };

/** `holter task`: reports the tasks of an agent, by which its progress is judged. */
export function registerTask(program: Command, io: Io): void {
  const task = program.command('task').description('tell Holter what an agent is working on');
  const tell = async (agentId: string, body: TaskInput, options: PrintOptions): Promise<void> => {
    refuseAgents(io, 'task');
    const connection = findServer(io, options, 'operator');
    const answer = await ask(connection, (client) => client.task(agentId, body));
    io.out(options.json ? `${JSON.stringify(answer)}\n` : `${agentId}: task ${body.taskId} ${body.status}\n`);
  };
  const command = (name: string, does: string): Command =>
    withServer(
      task
        .command(name)
        .description(does)
        .argument('<agent>', 'the id of the agent')
        .argument('<task>', 'the id of the task')
        .option('--json', 'print JSON'),
    );

  withExamples(
    command('assign', 'assign a task to an agent').option(
      '--expected-minutes <n>',
      'when it should be done',
      positive,
    ),
    [['holter task assign worker-7 T-42 --expected-minutes 90', 'due in an hour and a half']],
  ).action((agentId: string, taskId: string, { expectedMinutes, ...options }: AssignOptions) =>
    tell(
      agentId,
      {
        status: 'assigned',
        taskId,
        ...(expectedMinutes !== undefined && { expectedInSeconds: expectedMinutes * 60 }),
      },
      options,
    ),
  );

  withExamples(
    command('update', 'report progress on a task')
      .option('--percent <n>', 'how much is done, 0 to 100', percent)
      .option('--note <text>', 'what changed'),
    [['holter task update worker-7 T-42 --percent 60', 'more than half']],
  ).action((agentId: string, taskId: string, { percent: done, note, ...options }: UpdateOptions) =>
    tell(
      agentId,
      { status: 'updated', taskId, ...(done !== undefined && { percent: done }), ...(note && { note }) },
      options,
    ),
  );

  withExamples(
    command('end', 'end a task').addOption(
      new Option('--outcome <word>', 'how it ended').choices(['done', 'failed', 'cancelled']).default('done'),
    ),
    [['holter task end worker-7 T-42 --outcome cancelled', 'it is no longer needed']],
  ).action((agentId: string, taskId: string, { outcome, ...options }: EndOptions) =>
    tell(agentId, { status: outcome, taskId }, options),
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
