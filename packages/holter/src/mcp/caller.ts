import { PANE_EXECUTOR } from '@holter/core';
import type { AgentView, Client } from '@holter/server/local';
import { type Clock, JUDGE_MARKER, type ProcessRow, type ProcessTable } from '@holter/server/process';
import { clientOf } from '../client/ask.ts';
import { type Connection, findServer, type ServerOptions } from '../client/connection.ts';
import type { Io } from '../terminal/io.ts';
import { agentIn, type FoundAgent } from '../tmux/find-agent.ts';
import { SessionFiles } from '../tmux/session-files.ts';

/** Who the tools are for. An agent reports for itself and for no other. */
type Caller =
  | { readonly kind: 'agent'; readonly agentId: string; readonly connection: Connection }
  | { readonly kind: 'supervisor'; readonly connection: Connection }
  /** A model that Holter's own judge asks: it reads what agents write, and must not be able to do anything. */
  | { readonly kind: 'judge' };

type CallerParts = {
  readonly io: Io;
  readonly options: ServerOptions;
  readonly table: ProcessTable | null;
  readonly clock: Clock;
};

/** More than a tree of processes is deep. */
const ANCESTORS_MAX = 100;
/** A shorter part of a session's id would be found in names by accident. */
const SESSION_LENGTH_MIN = 8;

/**
 * Finds out who started this process. It is an agent if it carries an agent's name in its environment, or one of its
 * ancestors does, or if one of them is an agent that the server watches: an agent must not decide about agents, so
 * its tools are never those of a supervisor.
 */
export class CallerFinder {
  private readonly parts: CallerParts;
  private readonly ancestors: readonly ProcessRow[];
  /** Known agent programs among the ancestors: the server may watch them, or begin to. */
  private readonly programs: readonly FoundAgent[];
  private readonly sessions: SessionFiles | null;
  /** Made for a session that has none of its own. */
  private made: { readonly tokenId: string; readonly caller: Caller; readonly client: Client } | null = null;

  constructor(parts: CallerParts) {
    this.parts = parts;
    const { table, clock } = parts;
    this.ancestors = table ? ancestorsOf(table) : [];
    this.programs = table ? this.ancestors.flatMap((row) => agentIn(table, row) ?? []) : [];
    this.sessions = table && new SessionFiles(table, clock);
  }

  /** Asked again at every call: a session is known to the server only after its first hook. */
  async find(): Promise<Caller> {
    if (this.isJudge) return { kind: 'judge' };
    if (this.made) return this.made.caller;
    const named = this.named();
    if (named && named.token !== null && named.url !== undefined) {
      const { agentId, url, token } = named;
      return { kind: 'agent', agentId, connection: { url, token } };
    }
    const { io, options } = this.parts;
    const connection = findServer(io, options, 'operator');
    if (named) return this.speakFor(named.agentId, connection);
    const watched = await this.watchedAncestor(clientOf(connection));
    return watched ? this.speakFor(watched, connection) : { kind: 'supervisor', connection };
  }

  private get isJudge(): boolean {
    const { io, table } = this.parts;
    const inherited = this.ancestors.map(({ pid }) => table?.environment(pid) ?? {});
    return [io.env, ...inherited].some((env) => env[JUDGE_MARKER]);
  }

  /** While the server cannot be asked: a known agent program above this process may be watched. */
  get mayBeAgent(): boolean {
    return this.named() !== null || this.programs.length > 0;
  }

  /** A token that was made for this process ends with it. */
  async close(): Promise<void> {
    if (this.made) await this.made.client.revokeToken(this.made.tokenId).catch(() => undefined);
  }

  /** By the environment. Some agents start MCP servers without their own, so the ones of its ancestors count too. */
  private named(): { readonly agentId: string; readonly url?: string; readonly token: string | null } | null {
    const { io, table } = this.parts;
    const inherited = this.ancestors.map(({ pid }) => table?.environment(pid) ?? {});
    const env = [io.env, ...inherited].find(({ HOLTER_AGENT_ID }) => HOLTER_AGENT_ID);
    if (!env?.HOLTER_AGENT_ID) return null;
    const { HOLTER_AGENT_ID: agentId, HOLTER_URL: url, HOLTER_TOKEN: token } = env;
    return { agentId, ...(url && { url }), token: token || null };
  }

  private async watchedAncestor(client: Client): Promise<string | null> {
    for (const program of this.programs) {
      const agentId = (await this.ofSession(client, program)) ?? (await ofPane(client, program));
      if (agentId !== null) return agentId;
    }
    return null;
  }

  /** Sessions that report through hooks are named after their project and the beginning of the session's id. */
  private async ofSession(client: Client, program: FoundAgent): Promise<string | null> {
    const sessionId = (await this.sessions?.of(program))?.sessionId;
    if (sessionId === undefined) return null;
    const { agents } = await client.agents({ q: sessionId.slice(0, SESSION_LENGTH_MIN) });
    const isIts = ({ agentId, end }: AgentView): boolean => {
      const part = agentId.slice(agentId.lastIndexOf('.') + 1);
      return end === null && part.length >= SESSION_LENGTH_MIN && sessionId.startsWith(part);
    };
    return agents.find(isIts)?.agentId ?? null;
  }

  private async speakFor(agentId: string, operator: Connection): Promise<Caller> {
    const client = clientOf(operator);
    const { token, tokenId } = await client.makeToken({ role: 'agent', agentId });
    const caller: Caller = { kind: 'agent', agentId, connection: { url: operator.url, token } };
    this.made = { tokenId, caller, client };
    return caller;
  }
}

/** Agents in panes are named after their session and the number of the pane. */
async function ofPane(client: Client, { env }: FoundAgent): Promise<string | null> {
  const pane = env.TMUX_PANE;
  if (pane === undefined || !pane.startsWith('%')) return null;
  const { agents } = await client.agents({ q: `.${pane.slice(1)}` });
  const isIts = ({ agentId, executor, end }: AgentView): boolean =>
    end === null && executor?.startsWith(PANE_EXECUTOR) === true && agentId.endsWith(`.${pane.slice(1)}`);
  return agents.find(isIts)?.agentId ?? null;
}

/** From the parent upwards. */
function ancestorsOf(table: ProcessTable): readonly ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (let pid = process.ppid; pid > 0 && rows.length < ANCESTORS_MAX; ) {
    const row = table.row(pid);
    if (!row) break;
    rows.push(row);
    pid = row.parentPid;
  }
  return rows;
}
