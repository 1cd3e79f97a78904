import { type AgentFilter, type AgentView, realClock } from '@holter/server/local';
import type { Command } from 'commander';
import { ask } from '../client/ask.ts';
import { type Connection, findServer, type ServerOptions, withServer } from '../client/connection.ts';
import { stepInWords } from '../explain/explain-agent.ts';
import { patienceInWords } from '../explain/patience-in-words.ts';
import { isWrong, worstFirst } from '../explain/state-order.ts';
import { EXIT } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { colourOfState, painter, printable } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { ago } from '../terminal/words.ts';

type StatusOptions = ServerOptions & {
  readonly state?: string;
  readonly group?: string;
  readonly all?: boolean;
  readonly json?: boolean;
};

type Filter = { readonly [Key in 'state' | 'group' | 'q']: AgentFilter[Key] | undefined };

/** About one screen. For more agents there are `--all`, `--json` and filters. */
const ROWS_MAX = 40;
const PAGE = 500;

export function registerStatus(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('status')
        .description('who is well and who is not, worst first; exit code 3 when one is stuck or failing')
        .argument('[text]', 'only agents whose id, role or group contains this')
        .option(
          '--state <state>',
          'only agents in this state (HEALTHY, DEGRADED, STUCK, FAILING, TERMINATED)',
        )
        .option('--group <group>', 'only agents of this group')
        .option('--all', `all of them, not only the ${ROWS_MAX} that need it most`)
        .option('--json', 'print JSON'),
    ),
    [
      ['holter status', 'the whole fleet'],
      ['holter status --state STUCK', 'only those that are stuck'],
      ['holter status --json | jq .counts', 'for a script'],
    ],
  ).action((text: string | undefined, options: StatusOptions) => status(io, text, options));
}

async function status(io: Io, text: string | undefined, options: StatusOptions): Promise<void> {
  const connection = findServer(io, options, 'operator');
  const state = options.state?.toUpperCase() as AgentFilter['state'];
  const agents = worstFirst(await allAgents(connection, { state, group: options.group, q: text }));
  const counts: Record<string, number> = {};
  for (const agent of agents) counts[agent.state] = (counts[agent.state] ?? 0) + 1;
  const isFine = !agents.some(isWrong);
  if (!isFine) io.setExitCode(EXIT.foundWrong);
  if (options.json) {
    io.out(`${JSON.stringify({ ok: isFine, counts, agents })}\n`);
    return;
  }
  if (agents.length === 0) {
    io.out('no agents yet. Register one: see "The tour" in README.md, or POST /v1/agents\n');
    return;
  }
  const shown = options.all ? agents : agents.slice(0, ROWS_MAX);
  io.out(agentTable(io, shown));
  for (const { agentId, patience } of shown)
    if (patience) io.out(`${agentId}: limits lengthened: ${printable(patienceInWords(patience))}\n`);
  const rest = agents.length - shown.length;
  if (rest > 0) io.out(`… and ${rest} more (--all shows them)\n`);
  const paint = painter(io);
  const summary = Object.entries(counts).map(([name, count]) =>
    paint(colourOfState(name), `${count} ${name}`),
  );
  io.out(`\n${agents.length === 1 ? '1 agent' : `${agents.length} agents`}: ${summary.join(', ')}\n`);
}

async function allAgents(connection: Connection, filter: Filter): Promise<readonly AgentView[]> {
  const agents: AgentView[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(connection, (client) => client.agents({ ...filter, cursor, limit: String(PAGE) }));
    agents.push(...page.agents);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return agents;
}

const columns: readonly Column[] = [
  { title: 'AGENT' },
  { title: 'STATE' },
  { title: 'FOR' },
  { title: 'HEARD' },
  { title: 'WHY', canShrink: true },
  { title: 'NEXT', canShrink: true },
];

function agentTable(io: Io, agents: readonly AgentView[]): string {
  const now = realClock().now();
  const rows = agents.map((agent) => [
    agent.agentId,
    { text: agent.state, colour: colourOfState(agent.state) },
    ago(agent.stateSince, now).replace(/ ago$/, ''),
    ago(agent.lastSignAt, now),
    agent.findings[0]?.evidence ?? agent.holds.map(({ kind }) => kind).join(', '),
    agent.incident ? stepInWords(agent.incident, now) : '',
  ]);
  return table(columns, rows, io.width, painter(io));
}
