import { realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { duration } from '../terminal/units.ts';
import { until } from '../terminal/words.ts';
import { byOf, type DecisionOptions, withDecisionOptions } from './decision-options.ts';

type AddOptions = DecisionOptions & { readonly group: string; readonly for: number };

export function registerMaintenance(program: Command, io: Io): void {
  const maintenance = program
    .command('maintenance')
    .description('silence alerts about a group for a while; monitoring and actions continue');

  withExamples(
    withDecisionOptions(
      maintenance
        .command('add')
        .description('start a maintenance window, which replaces the current one of the group')
        .requiredOption('--group <group>', 'the group')
        .requiredOption('--for <time>', "how long: '30m', '2h', '1d'", duration),
    ),
    [['holter maintenance add --group crew --for 2h --reason "new network"', 'quiet for two hours']],
  ).action((options: AddOptions) => add(io, options));

  withExamples(
    withServer(
      maintenance.command('list').description('list open maintenance windows').option('--json', 'print JSON'),
    ),
    [['holter maintenance list', 'the open windows']],
  ).action((options: PrintOptions) => list(io, options));

  withExamples(
    withServer(
      maintenance
        .command('remove')
        .description('end the maintenance window; open problems are alerted then')
        .argument('<group>', 'the group'),
    ),
    [['holter maintenance remove crew', 'the work is done']],
  ).action(async (group: string, options: PrintOptions) => {
    refuseAgents(io, 'maintenance remove');
    await ask(findServer(io, options, 'operator'), (client) => client.removeMaintenance(group));
    io.out(`group ${group} is not in maintenance any more\n`);
  });
}

async function add(io: Io, { group, for: ms, reason, ...options }: AddOptions): Promise<void> {
  refuseAgents(io, 'maintenance add');
  const body = { group, seconds: ms / 1_000, reason, ...byOf(io, options) };
  const window = await ask(findServer(io, options, 'operator'), (client) => client.addMaintenance(body));
  const end = until(window.until, realClock().now());
  io.out(
    options.json
      ? `${JSON.stringify(window)}\n`
      : `alerts about group ${group} are off; they resume ${end}\n`,
  );
}

async function list(io: Io, options: PrintOptions): Promise<void> {
  const { windows } = await ask(findServer(io, options, 'viewer'), (client) => client.alerts());
  if (options.json) return io.out(`${JSON.stringify(windows)}\n`);
  if (windows.length === 0) return io.out('no group is in maintenance\n');
  const now = realClock().now();
  const rows = windows.map(({ group, until: end, by, reason }) => [group, until(end, now), by, reason]);
  const columns = [
    { title: 'GROUP' },
    { title: 'ENDS' },
    { title: 'BY' },
    { title: 'REASON', canShrink: true as const },
  ];
  io.out(table(columns, rows, io.width, painter(io)));
}
