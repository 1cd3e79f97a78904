import type { Hard } from './agent.ts';

/**
 * An agent has work when a task is open or a turn has begun and not ended. An agent that reports neither is assumed
 * to work while its process runs. Without work, an absence of calls and tokens is healthy.
 */
export function hasWork(hard: Hard): boolean {
  if (hard.end) return false;
  if (hard.task !== undefined || hard.turnSince !== undefined) return true;
  return !hard.promises.turns && !hard.promises.tasks;
}

/** A task is assigned, but work on it has not begun. */
export const isUnstarted = (hard: Hard): boolean =>
  hard.task !== undefined && hard.task.begunAt === undefined && hard.turnSince === undefined;
