import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Terminal } from './child.ts';
import type { RunOptions } from './options.ts';
import type { Plan } from './plan.ts';

/**
 * What to say of a command of which only the process is watched. Of an agent always; of any other command only at a
 * terminal, and once for each program and data folder.
 */
export function processOnlyLine(
  plan: Plan,
  { heartbeat, agentKind }: RunOptions,
  terminal: Terminal,
  dataFolder: string,
): string | null {
  const program = basename(plan.argv[0] ?? '');
  if (plan.recipe || agentKind === 'command' || heartbeat !== 'process') return null;
  if (plan.hidden !== null)
    return `${plan.hidden} behind ${program} is not recognised, so only the process of ${program} is watched; put holter run right before ${plan.hidden}`;
  const line = `only the process of ${program} is watched: its end, a stop and its limits (see --heartbeat)`;
  if (plan.isKnownAgent) return line;
  return terminal.error && isFirst(join(dataFolder, 'told'), program) ? line : null;
}

function isFirst(folder: string, program: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Fails if it is there.
    mkdirSync(join(folder, `process-only.${program}`));
    return true;
  } catch {
    return false;
  }
}
