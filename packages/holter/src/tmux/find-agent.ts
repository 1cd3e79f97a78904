import { basename } from 'node:path';
import { type Adapter, adapterOfProgram } from '@holter/server/adapters';
import { identityOf, type ProcessIdentity, type ProcessRow, type ProcessTable } from '@holter/server/process';

/** A running process of an agent that Holter knows. */
export type FoundAgent = {
  readonly adapter: Adapter;
  readonly process: ProcessIdentity;
  /** The interpreter of a script; empty for a program of its own. */
  readonly before: readonly string[];
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export type Children = ReadonlyMap<number, readonly ProcessRow[]>;

/** One reading of all processes serves all panes. */
export function childrenOf(rows: readonly ProcessRow[]): Children {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parentPid);
    if (siblings) siblings.push(row);
    else children.set(row.parentPid, [row]);
  }
  return children;
}

/** More processes than a pane has before an agent is found. */
const PROCESSES_MAX = 200;

/** The agent that is nearest to the root of a pane: what it starts itself belongs to it. */
export function findAgent(table: ProcessTable, rootPid: number, children: Children): FoundAgent | null {
  const root = table.row(rootPid);
  const queue = root ? [root] : [];
  for (const row of queue) {
    const found = row.state === 'zombie' ? null : agentIn(table, row);
    if (found) return found;
    if (queue.length < PROCESSES_MAX) queue.push(...(children.get(row.pid) ?? []));
  }
  return null;
}

/** The agent that this process is; null for any other program. */
export function agentIn(table: ProcessTable, row: ProcessRow): FoundAgent | null {
  const argv = table.argv(row.pid);
  const found = argv && programIn(argv);
  return found && { ...found, process: identityOf(table, row), env: table.environment(row.pid) ?? {} };
}

/** Interpreters show the script that they run as their second word. */
const INTERPRETERS = new Set(['node', 'bun', 'deno', 'python', 'python3', 'sh', 'bash', 'dash', 'zsh']);

function programIn(
  argv: readonly string[],
): Pick<FoundAgent, 'adapter' | 'before' | 'program' | 'args'> | null {
  const [first = '', second = ''] = argv;
  const at = INTERPRETERS.has(basename(first)) && second.includes('/') ? 1 : 0;
  const program = argv[at] ?? '';
  const adapter = adapterOfProgram(program);
  return adapter && { adapter, before: argv.slice(0, at), program, args: argv.slice(at + 1) };
}
