import { ClientError } from '@holter/server/local';
import { realClock, systemTable } from '@holter/server/process';
import type { Command } from 'commander';
import { clientOf } from '../client/ask.ts';
import { type Connection, type ServerOptions, withServer } from '../client/connection.ts';
import { version } from '../package/version.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { agentTools } from './agent-tools.ts';
import { CallerFinder } from './caller.ts';
import { serveLines } from './json-rpc.ts';
import { McpServer, type ToolSet } from './protocol.ts';
import { supervisorTools } from './supervisor-tools.ts';
import { failureOf, type ToolResult } from './tool.ts';

type McpOptions = ServerOptions & { readonly allowStop?: boolean };

const NO_TOOLS = "This is Holter's own judge, which reads and answers; it gets no tools.";

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n';

export function registerMcp(program: Command, io: Io): void {
  withExamples(
    withServer(
      program
        .command('mcp')
        .description(
          'serve Holter as tools over MCP, on standard input and output: to an agent, or to a supervisor',
        )
        .option('--allow-stop', 'let a supervisor stop and restart agents'),
    ),
    [
      ['holter mcp', 'started by an MCP client; docs/mcp.md has the configuration of each'],
      ['holter mcp --allow-stop', 'for a supervisor that may stop and restart agents'],
    ],
  ).action((options: McpOptions) => serve(io, options));
}

async function serve(io: Io, options: McpOptions): Promise<void> {
  const finder = new CallerFinder({ io, options, table: systemTable(), clock: realClock() });
  let offered: string | null = null;
  const offer = async (): Promise<ToolSet> => {
    const caller = await finder.find().catch((error: unknown) => failureOf(error));
    if ('content' in caller) return withoutServer(finder.mayBeAgent, caller);
    if (offered !== null && offered !== caller.kind && server.hasHandshake) io.out(CHANGED);
    offered = caller.kind;
    if (caller.kind === 'judge') return { instructions: NO_TOOLS, tools: [] };
    if (caller.kind === 'agent') return agentTools(caller.agentId, caller.connection);
    const { connection } = caller;
    const mayDecide = await mayDecideWith(connection);
    return supervisorTools({ connection, by: nameOf(io), mayStop: options.allowStop === true, mayDecide });
  };
  const server = new McpServer(version, offer);
  const stopped = new Promise<void>((resolve) => io.onStop(() => resolve()));
  const served = serveLines(process.stdin, {
    write: io.out,
    handle: (method, params) => server.handle(method, params),
    failed: (error) => io.err(`holter mcp: ${error instanceof Error ? error.stack : String(error)}\n`),
  });
  await Promise.race([served, stopped]);
  await finder.close();
}

/** The client has to be shown tools also while there is no server; a call says what is wrong. */
function withoutServer(isAgent: boolean, failure: ToolResult): ToolSet {
  const connection = { url: '', token: null };
  const { instructions, tools } = isAgent
    ? agentTools('', connection)
    : supervisorTools({ connection, by: '', mayStop: false, mayDecide: true });
  return { instructions, tools: tools.map((tool) => ({ ...tool, call: async () => failure })) };
}

/** Every decision shows in the audit trail that it came through MCP. */
const nameOf = ({ env }: Io): string => `${env.USER || env.LOGNAME || 'a supervisor'} through MCP`;

async function mayDecideWith(connection: Connection): Promise<boolean> {
  try {
    return (await clientOf(connection).session()).role !== 'viewer';
  } catch (error) {
    // Without a server the tools are shown, and a call says what is wrong.
    if (error instanceof ClientError) return error.code === 'unreachable';
    throw error;
  }
}
