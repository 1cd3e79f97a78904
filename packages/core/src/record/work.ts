import type { Hard } from './agent.ts';

/**
 * An agent has work when a task is open or a turn has begun and not ended. One that reports neither is
 * taken to work as long as its process runs. Without work, no calls and no tokens are healthy idleness.
 */
export function hasWork(hard: Hard): boolean {
  if (hard.end) return false;
  if (hard.task !== undefined || hard.turnSince !== undefined) return true;
  return !hard.promises.turns && !hard.promises.tasks;
}

/** "If there is work on your hook, you must run it": assigned, and not touched yet. */
export const isUnstarted = (hard: Hard): boolean =>
  hard.task !== undefined && hard.task.begunAt === undefined && hard.turnSince === undefined;
