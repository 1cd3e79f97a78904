import type { ChainProcess } from '@holter/core/chain';
import type { BootMemory } from './status-file.ts';

/** What one look at the processes of the Deacon gives. */
export type ProcessSample = Pick<BootMemory, 'incarnation' | 'cpuMs' | 'isStopped'> & { readonly at: number };

/** A shorter time shows nothing, and after a longer one nobody knows what happened in between, such as a sleep. */
const ELAPSED_MS_MIN = 1_000;
const ELAPSED_MS_MAX = 15 * 60_000;
/** A runtime that waits has timers of its own; an agent that waits for its model draws a spinner, which costs more. */
const IDLE_SHARE = 0.005;

/** What two looks at the same processes show; a single one is no evidence. */
export function processEvidence(before: ProcessSample | null, after: ProcessSample): ChainProcess {
  if (!before || before.incarnation !== after.incarnation) return 'unknown';
  const elapsedMs = after.at - before.at;
  if (elapsedMs < ELAPSED_MS_MIN || elapsedMs > ELAPSED_MS_MAX) return 'unknown';
  if (before.isStopped && after.isStopped) return 'stopped';
  if (before.cpuMs === null || after.cpuMs === null || after.isStopped) return 'unknown';
  const cpuMs = after.cpuMs - before.cpuMs;
  // Less than before: a process has ended meanwhile, so that something happened.
  return cpuMs >= 0 && cpuMs <= elapsedMs * IDLE_SHARE ? 'idle' : 'busy';
}
