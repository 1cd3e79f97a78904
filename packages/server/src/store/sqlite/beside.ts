import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../store.ts';
import type { Task, TaskResult } from './beside-worker.ts';
import { builtFile } from './thread.ts';

/**
 * Runs a task that reads the whole file in its own thread and connection. In WAL mode, readers and the writer do
 * not block each other.
 */
export async function runBeside(task: Task): Promise<readonly string[] | undefined> {
  const worker = new Worker(builtFile('beside-worker'), { workerData: task, execArgv: [] });
  // The file is released only when the thread has ended. An unexpected error ends the wait too.
  const [[result]] = (await Promise.all([once(worker, 'message'), once(worker, 'exit')])) as [
    [TaskResult],
    unknown,
  ];
  if (result.kind === 'found') return result.problems;
  if (result.kind === 'copied') return undefined;
  if (result.fault === null) throw new Error(result.message);
  throw new StoreUnavailable(result.fault, result.message);
}
