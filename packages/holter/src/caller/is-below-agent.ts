import type { Client } from '@holter/server/local';
import type { ProcessTable } from '@holter/server/process';
import type { Io } from '../terminal/io.ts';

/**
 * Whether this process was started by an agent that Holter watches, in whichever way. Loaded only when it matters:
 * looking at processes is not needed to show how agents are.
 */
export async function isBelowAgent(env: Io['env'], client: Client, table?: ProcessTable): Promise<boolean> {
  if (env.HOLTER_AGENT_ID) return true;
  const { realClock, systemTable } = await import('@holter/server/process');
  const { Ancestors } = await import('./ancestors.ts');
  const above = new Ancestors(env, table ?? systemTable(), realClock());
  return above.named !== null || (await above.watched(client)) !== null;
}
