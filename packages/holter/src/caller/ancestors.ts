import { PANE_EXECUTOR } from '@holter/core';
import type { AgentView, Client } from '@holter/server/local';
import type { Clock, ProcessRow, ProcessTable } from '@holter/server/process';
import type { Io } from '../terminal/io.ts';
import { agentIn, type FoundAgent } from '../tmux/find-agent.ts';
import { SessionFiles } from '../tmux/session-files.ts';

/** More than a tree of processes is deep. */
const ANCESTORS_MAX = 100;
/** A shorter part of a session's id would be found in names by accident. */
const SESSION_LENGTH_MIN = 8;

type Env = Io['env'];

/** The processes above this one, and the agents that the server watches among them. */
export class Ancestors {
  /** Of this process, and then from its parent upwards. */
  readonly environments: readonly Env[];
  /** Known agent programs: the server may watch them, or begin to. */
  readonly programs: readonly FoundAgent[];
  private readonly sessions: SessionFiles | null;

  constructor(env: Env, table: ProcessTable | null, clock: Clock) {
    const rows = table ? rowsAbove(table) : [];
    this.environments = [env, ...rows.map(({ pid }) => table?.environment(pid) ?? {})];
    this.programs = table ? rows.flatMap((row) => agentIn(table, row) ?? []) : [];
    this.sessions = table && new SessionFiles(table, clock);
  }

  /** By the environment. Some agents start programs without their own, so those of all ancestors count. */
  get named(): Env | null {
    return this.environments.find(({ HOLTER_AGENT_ID }) => HOLTER_AGENT_ID) ?? null;
  }

  /** By what the server knows: a session that reports through hooks, or a pane. */
  async watched(client: Client): Promise<string | null> {
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
function rowsAbove(table: ProcessTable): readonly ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (let pid = process.ppid; pid > 0 && rows.length < ANCESTORS_MAX; ) {
    const row = table.row(pid);
    if (!row) break;
    rows.push(row);
    pid = row.parentPid;
  }
  return rows;
}
