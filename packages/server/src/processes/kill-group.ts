import type { ChildProcess } from 'node:child_process';

/** Kills a child that leads a process group (`detached`), and all that it has started in it. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
