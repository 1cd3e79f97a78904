import { inWords, milliseconds } from '@holter/core';
import type { PingKeyMadeView } from '@holter/server/local';
import { parseDuration } from '@holter/server/policy';
import { type Command, InvalidArgumentError } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type PingOptions = ServerOptions & {
  readonly name: string;
  readonly every: number;
  readonly grace?: number;
  readonly group?: string;
  readonly json?: boolean;
};

/** `holter ping`: URLs by which cron jobs and scripts report their runs. */
export function registerPing(program: Command, io: Io): void {
  const ping = program.command('ping').description('watch cron jobs and scripts by a URL that they call');
  withExamples(
    withServer(
      ping
        .command('create')
        .description('print the URL that a job calls after each run; it is shown once')
        .requiredOption('--name <id>', 'the name of the job')
        .requiredOption('--every <time>', 'a run ends at least this often, like 10m or 1d', duration)
        .option(
          '--grace <time>',
          'how late a run may end, and how long one may take (default: a quarter of --every, 1m to 1h)',
          duration,
        )
        .option('--group <group>', 'the group that it belongs to')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter ping create --name backup --every 1d --grace 2h', 'a nightly backup'],
      ['holter ping create --name mail-queue --every 10m', 'a job that runs often'],
    ],
  ).action((options: PingOptions) => create(io, options));
}

async function create(io: Io, { name, every, grace, group, ...options }: PingOptions): Promise<void> {
  refuseAgents(io, 'ping create');
  const connection = findServer(io, options, 'operator');
  const body = {
    everySeconds: every / 1_000,
    ...(grace !== undefined && { graceSeconds: grace / 1_000 }),
    ...(group !== undefined && { group }),
  };
  const made = await ask(connection, (client) => client.makePingKey(name, body));
  const url = `${connection.url}${made.path}`;
  io.out(options.json ? `${JSON.stringify({ ...made, url })}\n` : inWordsAndSnippets(made, url));
}

function inWordsAndSnippets(
  { agentId, everySeconds, graceSeconds, isNew }: PingKeyMadeView,
  url: string,
): string {
  const schedule =
    everySeconds === null
      ? 'it is no scheduled job: its pings count as heartbeats'
      : `a run every ${inWords(milliseconds(everySeconds * 1_000))}, ${inWords(milliseconds((graceSeconds ?? 0) * 1_000))} of grace`;
  const known = isNew
    ? ''
    : `${agentId} was known before and keeps its schedule; this is a further URL for it.\n`;
  return `${known}${agentId}: ${schedule}

  ${url}

after each run    curl -fsS -m 10 --retry 3 -o /dev/null ${url}
in a crontab      0 3 * * * ./backup.sh; curl -fsS -m 10 --retry 3 -o /dev/null ${url}/$?
with its length   call ${url}/start first
when it fails     call ${url}/fail, or /EXITCODE; a POST body is kept as its output

docs/pings.md has more, also for Python and Go.
`;
}

function duration(text: string): number {
  const value = parseDuration(text);
  if (value !== undefined && value >= 1_000) return value;
  throw new InvalidArgumentError('a time like 30s, 10m, 2h or 1d is needed.');
}
