import { existsSync } from 'node:fs';
import { instant } from '@holter/core/time';
import type { AgentFilter, AgentView, HealthView } from '@holter/server/local';
import type { Command } from 'commander';
import { noteShown } from '../caller/note-shown.ts';
import { allAgents } from '../client/all-agents.ts';
import { ask } from '../client/ask.ts';
import { type Connection, findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { hasEnded, isWaitingForPerson, isWrong, mostUrgentFirst, stateWord } from '../explain/state-order.ts';
import { statusTable } from '../explain/status-table.ts';
import { tmuxLine } from '../explain/tmux-line.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter, printable } from '../terminal/paint.ts';
import { ago, counted, wrapped } from '../terminal/words.ts';
import { findTown, TOWN_OPTION } from '../town/town.ts';

type StatusOptions = ServerOptions & {
  readonly state?: string;
  readonly group?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly tmux?: boolean;
  readonly town?: string;
};

/** About one screen. For more agents there are `--all`, `--json` and filters. */
const ROWS_MAX = 40;
const NAMES_MAX = 20;

export function registerStatus(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('status')
        .description('list agents, those that need you first; exit code 3 if one is stuck or failing')
        .argument('[text]', 'only agents whose id, role or group contains this')
        .option(
          '--state <state>',
          'only agents in this state (HEALTHY, DEGRADED, STUCK, FAILING, TERMINATED)',
        )
        .option('--group <group>', 'only agents of this group')
        .option('--all', `all agents, including ended ones, not only the first ${ROWS_MAX}`)
        .option('--json', 'print JSON')
        .option('--tmux', 'one short line for the status line of tmux')
        .option(...TOWN_OPTION),
    ),
    [
      ['holter status', 'running agents'],
      ['holter status --all', 'ended agents, too'],
      ['holter status --state STUCK', 'only stuck agents'],
      ['holter status --json | jq .counts', 'for a script'],
    ],
  ).action((text: string | undefined, options: StatusOptions) =>
    options.tmux ? neverBlank(io, () => status(io, text, options)) : status(io, text, options),
  );
}

/** tmux shows what is printed, and neither errors nor exit codes: a blank line would look as if all were well. */
async function neverBlank(io: Io, print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    const isServerGone = error instanceof CliFailure && error.message.startsWith('no server');
    io.out(`holter: ${isServerGone ? 'no server' : 'no status'}\n`);
    throw error;
  }
}

async function status(io: Io, text: string | undefined, options: StatusOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const state = options.state?.toUpperCase() as AgentFilter['state'];
  const [all, system, { estop, troubles }] = await Promise.all([
    allAgents(connection, { state, group: options.group, q: text }),
    ask(connection, (client) => client.system()),
    ask(connection, (client) => client.health()),
  ]);
  const agents = mostUrgentFirst(all);
  if (options.tmux) {
    io.out(`${tmuxLine(agents, { estop, troubles })}\n`);
    return;
  }
  const isFine = !agents.some(isWrong);
  if (!isFine) io.setExitCode(EXIT.foundWrong);
  if (options.json) {
    io.out(
      `${JSON.stringify({ ok: isFine, counts: countsOf(agents), agents, limitHits: system.limitHits, estop, troubles })}\n`,
    );
    return;
  }
  if (estop) io.out(`${painter(io)('bold', printable(estopLine(estop)))}\n\n`);
  const others = troubles.filter(({ kind }) => kind !== 'estop');
  for (const { says } of others) io.out(`${painter(io)('yellow', printable(says))}\n`);
  if (others.length > 0) io.out('\n');
  if (agents.length === 0) {
    const isFiltered = text !== undefined || state !== undefined || options.group !== undefined;
    io.out(isFiltered ? 'No agents match.\n' : 'No agents yet. Watch one: holter run -- COMMAND\n');
    return tellTown(io, connection, options.town);
  }
  const isEndedShown = options.all || state === 'TERMINATED';
  const wanted = isEndedShown ? agents : agents.filter((agent) => !hasEnded(agent));
  const shown = options.all ? wanted : wanted.slice(0, ROWS_MAX);
  io.out(waitingLine(io, wanted));
  if (shown.length > 0) io.out(statusTable(io, shown));
  if (wanted.length > shown.length) io.out(`… and ${wanted.length - shown.length} more (--all shows them)\n`);
  io.out(`${shown.length > 0 ? '\n' : ''}${summary(io, wanted, agents.length - wanted.length)}\n`);
  for (const { limit, count, lastAt, lastBy } of system.limitHits)
    io.out(
      `limit ${limit} was reached ${counted(count, 'time')}, last ${ago(lastAt, instant(system.at))} by ${printable(lastBy)}\n`,
    );
  await tellTown(io, connection, options.town);
  await noteShown(
    io,
    connection,
    shown.map(({ incident }) => incident),
  );
}

/** Its module is loaded only where there is a town: most have none. */
async function tellTown(io: Io, connection: Connection, named: string | undefined): Promise<void> {
  const town = findTown(named, io.env);
  if (!existsSync(town.settingsFile)) return;
  const { townLines } = await import('../boot/town-lines.ts');
  for (const line of await townLines(town, io.env, connection)) io.out(`${line}\n`);
}

const estopLine = ({ by, at }: NonNullable<HealthView['estop']>): string =>
  `Holter does nothing by itself: stopped by ${by} at ${new Date(at).toISOString()} (holter estop --off)`;

/** Who waits for a person, by name. */
function waitingLine(io: Io, agents: readonly AgentView[]): string {
  const names = agents.filter(isWaitingForPerson).map(({ agentId }) => agentId);
  if (names.length === 0) return '';
  const listed = names.slice(0, NAMES_MAX).join(', ') + (names.length > NAMES_MAX ? ', …' : '');
  const lines = wrapped(printable(`waiting for you (${names.length}): ${listed}`), io.width);
  return `${lines.map((line) => painter(io)('bold', line)).join('\n')}\n\n`;
}

function summary(io: Io, agents: readonly AgentView[], hiddenCount: number): string {
  const paint = painter(io);
  const states = Object.entries(countsOf(agents)).map(([name, count]) =>
    paint(colourOfState(name), `${count} ${name}`),
  );
  const ended =
    hiddenCount === 0 ? [] : [`${hiddenCount} ended (--all shows ${hiddenCount === 1 ? 'it' : 'them'})`];
  const living = agents.length === 0 ? [] : [`${counted(agents.length, 'agent')}: ${states.join(', ')}`];
  return [...living, ...ended].join('; ');
}

function countsOf(agents: readonly AgentView[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const agent of agents) counts[stateWord(agent)] = (counts[stateWord(agent)] ?? 0) + 1;
  return counts;
}
