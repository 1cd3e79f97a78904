import type { EventView } from '@holter/server/local';
import { type Command, InvalidArgumentError } from 'commander';
import { findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { newestEvents } from '../client/newest-events.ts';
import { printUntilStopped } from '../client/print-until-stopped.ts';
import { eventLine } from '../explain/event-line.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';

type EventsOptions = ServerOptions & {
  readonly follow?: boolean;
  readonly agent?: string;
  readonly type?: string;
  readonly after?: number;
  readonly tail: number;
  readonly json?: boolean;
};

export function registerEvents(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('events')
        .description('list events in order; with --follow, new ones as they happen')
        .option('-f, --follow', 'keep printing until Ctrl-C; reconnects without a gap')
        .option('--agent <id>', 'only events of this agent')
        .option('--type <types>', 'only these types, separated by commas')
        .option('--after <cursor>', 'only events after this cursor (see --json)', wholeNumber)
        .option('--tail <n>', 'only the newest n', wholeNumber, 50)
        .option('--json', 'one JSON object per line'),
    ),
    [
      ['holter events --follow', 'watch the fleet'],
      ['holter events --agent worker-7 --tail 1000', "one agent's audit trail"],
      ['holter events --type NUDGE_SENT,DECISION_MADE --json', 'for a program'],
    ],
  ).action((options: EventsOptions) => events(io, options));
}

async function events(io: Io, options: EventsOptions): Promise<void> {
  const connection = findServer(io, options, 'viewer');
  const paint = painter(io);
  const tell = (event: EventView): void =>
    io.out(`${options.json ? JSON.stringify(event) : eventLine(event, io.width, paint)}\n`);
  const { tail, after = 0 } = options;
  // Without past events, following still needs the cursor of the newest one.
  const filter = { ...filterOf(options), after: String(after) };
  const newest = await newestEvents(connection, filter, Math.max(1, tail));
  if (tail > 0) for (const event of newest) tell(event);
  if (options.follow) {
    const isWanted = ({ type }: EventView): boolean =>
      type !== 'AGENT_HEARTBEAT' || (options.type?.toUpperCase().includes(type) ?? false);
    const query = { ...filterOf(options), after: String(newest.at(-1)?.cursor ?? after) };
    await printUntilStopped(
      io,
      connection,
      (client, more) => client.follow(query, more),
      (event) => {
        if (isWanted(event)) tell(event);
      },
    );
  } else if (newest.length === 0 && !options.json) io.err('no such events yet\n');
}

function filterOf({ agent, type }: EventsOptions): Readonly<Record<string, string | undefined>> {
  return { agentId: agent, type: type?.toUpperCase() };
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number is needed.');
}
