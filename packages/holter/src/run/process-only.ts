import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunOptions } from './options.ts';
import type { Plan } from './plan.ts';

/**
 * What to say of a command of which only the process is watched. Of an agent that Holter knows by name, at every run;
 * of any other program once for each data folder, whether a person or a log reads it.
 */
export function processOnlyLine(
  plan: Pick<Plan, 'argv' | 'recipe' | 'hidden' | 'isKnownAgent'>,
  { heartbeat, agentKind }: Pick<RunOptions, 'heartbeat' | 'agentKind'>,
  dataFolder: string,
): string | null {
  const program = basename(plan.argv[0] ?? '');
  if (plan.recipe || agentKind === 'command' || heartbeat !== 'process') return null;
  if (plan.hidden !== null)
    return `${plan.hidden} behind ${program} is not recognised, so only the process of ${program} is watched; put holter run right before ${plan.hidden}`;
  const line = `only the process of ${program} is watched (exit, suspension, limits), not what it does; see --heartbeat`;
  return plan.isKnownAgent || isFirst(join(dataFolder, 'told'), program) ? line : null;
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
