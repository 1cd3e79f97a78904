import { type NewTokenInput, realClock } from '@holter/server/local';
import { type Command, Option } from 'commander';
import { ask } from '../client/ask.ts';
import { findServer, type PrintOptions, refuseAgents, withServer } from '../client/connection.ts';
import { CliFailure, EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { painter } from '../terminal/paint.ts';
import { table } from '../terminal/table.ts';
import { ago } from '../terminal/words.ts';

type CreateOptions = PrintOptions & {
  readonly role?: NewTokenInput['role'];
  readonly agent?: string;
  readonly group?: string;
  readonly user?: string;
  readonly name?: string;
};

const roles = ['agent', 'enroll', 'hook', 'viewer', 'operator', 'orchestrator'];

export function registerToken(program: Command, io: Io): void {
  const token = program.command('token').description('create, list and revoke tokens');

  withExamples(
    withServer(
      token
        .command('create')
        .description('print a new token; it is shown once, and stored only as a hash')
        .addOption(new Option('--role <role>', 'what it may do').choices(roles))
        .option('--name <name>', 'the person who uses it; a name alone makes an operator')
        .option('--agent <id>', 'the agent that an agent token speaks for')
        .option('--group <group>', 'the group that an orchestrator decides for')
        .option('--user <name>', 'the user whose sessions a hook token reports')
        .option('--json', 'print JSON'),
    ),
    [
      ['holter token create --name alice', 'for a person: decisions are recorded with this name'],
      ['holter token create --role enroll', 'for a program that registers agents'],
      ['holter token create --role agent --agent worker-7', 'for one agent'],
      ['holter token create --role hook --user dev@laptop', 'for hooks of sessions on another machine'],
      ['holter token create --role orchestrator --group web', 'for the orchestrator of a group'],
    ],
  ).action((options: CreateOptions) => create(io, options));

  withExamples(
    withServer(
      token.command('list').description('all tokens, without their secrets').option('--json', 'print JSON'),
    ),
    [['holter token list', 'list tokens and their roles']],
  ).action((options: PrintOptions) => list(io, options));

  withExamples(
    withServer(
      token
        .command('revoke')
        .description('revoke a token at once')
        .argument('<id>', 'see `holter token list`'),
    ),
    [['holter token revoke 6f1c…', 'the token has leaked']],
  ).action(async (id: string, options: PrintOptions) => {
    refuseAgents(io, 'token revoke');
    await ask(findServer(io, options, 'operator'), (client) => client.revokeToken(id));
    io.out(`${id} is revoked\n`);
  });
}

async function create(io: Io, { agent, group, user, name, ...options }: CreateOptions): Promise<void> {
  refuseAgents(io, 'token create');
  const role = options.role ?? (name === undefined ? undefined : 'operator');
  if (role === undefined)
    throw new CliFailure(
      'a token needs a role, or the name of a person',
      '--role ROLE, or --name NAME',
      EXIT.usage,
    );
  if (role === 'agent' && agent === undefined)
    throw new CliFailure('an agent token speaks for one agent', 'say for which: --agent ID', EXIT.usage);
  if (role === 'orchestrator' && group === undefined)
    throw new CliFailure('an orchestrator decides for a group', 'say for which: --group NAME', EXIT.usage);
  if (role === 'hook' && user === undefined)
    throw new CliFailure('a hook token reports the sessions of a user', 'say whose: --user NAME', EXIT.usage);
  const body = {
    role,
    ...(agent && { agentId: agent }),
    ...(group && { group }),
    ...(user && { user }),
    ...(name && { name }),
  };
  const made = await ask(findServer(io, options, 'operator'), (client) => client.makeToken(body));
  io.out(options.json ? `${JSON.stringify(made)}\n` : `${made.token}\n`);
}

async function list(io: Io, options: PrintOptions): Promise<void> {
  const { tokens } = await ask(findServer(io, options, 'operator'), (client) => client.tokens());
  if (options.json) {
    io.out(`${JSON.stringify(tokens)}\n`);
    return;
  }
  const now = realClock().now();
  const rows = tokens.map(({ tokenId, role, agentId, group, user, name, createdAt, revokedAt }) => [
    tokenId,
    role,
    [name, agentId ?? group ?? user].filter(Boolean).join(', '),
    ago(createdAt, now),
    revokedAt === null ? '' : { text: `revoked ${ago(revokedAt, now)}`, colour: 'dim' as const },
  ]);
  const columns = [
    { title: 'ID' },
    { title: 'ROLE' },
    { title: 'FOR', canShrink: true as const },
    { title: 'MADE' },
    { title: '' },
  ];
  io.out(table(columns, rows, io.width, painter(io)));
}
