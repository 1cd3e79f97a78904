import type { Hard } from './agent.ts';

/** A task is open, or a turn has begun and not ended. */
export const isKnownToWork = (hard: Hard): boolean =>
  !hard.end && (hard.task !== undefined || hard.turnSince !== undefined);

/**
 * An agent that reports neither tasks nor turns is assumed to work while its process runs. Without work, an absence
 * of calls and tokens is healthy.
 */
export function hasWork(hard: Hard): boolean {
  if (hard.end) return false;
  if (isKnownToWork(hard)) return true;
  const { promises, inferred } = hard;
  return !promises.turns && !promises.tasks && !inferred?.turns && !inferred?.tasks;
}

/** A task is assigned, but work on it has not begun. */
export const isUnstarted = (hard: Hard): boolean =>
  hard.task !== undefined && hard.task.begunAt === undefined && hard.turnSince === undefined;
