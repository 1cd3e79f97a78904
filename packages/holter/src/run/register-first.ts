import type { Clock } from '@holter/server/process';
import { type AgentRecord, AgentRunning } from './agent-record.ts';

const WAIT_MS = 10_000;
const AGAIN_MS = 500;

/**
 * Registers the first start of a run. A run of the same name that was killed a moment ago is still alive for the
 * server, until it looks at the process again, or misses the looks of that run.
 */
export async function registerFirst(
  agent: Pick<AgentRecord, 'register'>,
  { clock, say }: { readonly clock: Clock; readonly say: (line: string) => void },
): Promise<void> {
  const endsAt = clock.now() + WAIT_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      return await agent.register();
    } catch (error) {
      if (!(error instanceof AgentRunning) || clock.now() >= endsAt) throw error;
      if (!isTold) say(`${error.agentId} is still running; waiting up to ${WAIT_MS / 1_000} s for it to end`);
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
    }
  }
}
