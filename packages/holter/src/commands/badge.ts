import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, refuseAgents, type ServerOptions, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';

type BadgeOptions = ServerOptions & { readonly group?: string; readonly json?: boolean };

/** `holter badge`: pictures of the state of an agent or group, for READMEs and wall screens. */
export function registerBadge(program: Command, io: Io): void {
  const badge = program.command('badge').description('show the state of an agent or group as a picture');
  withExamples(
    withServer(
      badge
        .command('create')
        .description('print the URL of a picture of its state; the key in it shows nothing else')
        .argument('[agent]', 'the id of the agent')
        .option('--group <group>', 'a group instead of one agent')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter badge create worker-7', 'of one agent'],
      ['holter badge create --group web', 'of all agents of a group'],
    ],
  ).action((agentId: string | undefined, options: BadgeOptions) => create(io, agentId, options));
}

async function create(
  io: Io,
  agentId: string | undefined,
  { group, ...options }: BadgeOptions,
): Promise<void> {
  refuseAgents(io, 'badge create');
  if ((agentId === undefined) === (group === undefined))
    throw new CliFailure(
      'a badge is of one agent or of one group',
      'name an agent, or --group NAME',
      EXIT.usage,
    );
  const connection = findServer(io, options, 'operator');
  const body = { ...(agentId !== undefined && { agentId }), ...(group !== undefined && { group }) };
  const made = await ask(connection, (client) => client.makeBadge(body));
  const url = `${connection.url}${made.path}`;
  io.out(
    options.json ? `${JSON.stringify({ ...made, url })}\n` : `${url}\n\n![${agentId ?? group}](${url})\n`,
  );
}
