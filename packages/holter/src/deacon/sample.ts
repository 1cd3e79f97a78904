import type { ProcessSample } from '@holter/core/chain';
import { findProcess, ProcessTree } from '@holter/server/process';
import { TmuxSilent } from '../tmux/control-client.ts';
import type { Prompt } from '../tmux/prompt.ts';
import type { ActContext } from './act.ts';
import { selfIn } from './context.ts';
import type { DeaconRun } from './look.ts';

/** Nothing runs. */
const NO_RUN = 'none';

/** One look at the processes of the Deacon. */
export function sampleOf({ table }: Pick<ActContext, 'table'>, run: DeaconRun | null): ProcessSample {
  const incarnation = run?.incarnation ?? NO_RUN;
  const rows = run ? new ProcessTree(table, run.process, incarnation).look() : [];
  const root = run && findProcess(table, run.process);
  return {
    incarnation,
    cpuMs: root ? rows.reduce((sum, { cpuMs, reapedCpuMs }) => sum + cpuMs + reapedCpuMs, 0) : null,
    isStopped: root?.state === 'stopped',
  };
}

/** Loaded when it is needed: it knows all kinds of agents. */
export const typing = () => import('./typing.ts');

/** Where text can be typed: a pane in which an agent runs that Holter knows. */
export async function promptOf(
  { table, clock }: Pick<ActContext, 'table' | 'clock'>,
  { place }: DeaconRun,
): Promise<Prompt | null> {
  if (!place) return null;
  const { childrenOf, findAgent, SessionFiles } = await typing();
  const found = findAgent(table, place.pane.row.pid, childrenOf(table.rows()));
  const typist = { self: selfIn(table), table };
  return found && { pane: place.pane.pane, found, sessions: new SessionFiles(table, clock), clock, typist };
}

/** Whether it waits for the answer of a person, as its pane or its session file shows. What can't be seen may be that. */
export async function isAskingAt(prompt: Prompt | null): Promise<boolean> {
  if (prompt === null) return false;
  try {
    return (await (await typing()).seePrompt(prompt)).isAsking;
  } catch (error) {
    if (error instanceof TmuxSilent) return true;
    throw error;
  }
}
