import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import type { StoreFault } from '../store.ts';
import { StoreUnavailable } from '../store.ts';
import { problemsOf } from './check.ts';
import { copyDatabase } from './copy.ts';
import { faultOf } from './faults.ts';

export type Task =
  | { readonly kind: 'check'; readonly path: string }
  | { readonly kind: 'backup'; readonly path: string; readonly target: string };

export type TaskResult =
  | { readonly kind: 'found'; readonly problems: readonly string[] }
  | { readonly kind: 'copied' }
  | { readonly kind: 'failed'; readonly fault: StoreFault | null; readonly message: string };

const task = workerData as Task;

function run(): TaskResult {
  try {
    if (!existsSync(task.path)) throw new StoreUnavailable('missing', `${task.path} is gone`);
    if (task.kind === 'check') return { kind: 'found', problems: check(task.path) };
    copy(task.path, task.target);
    return { kind: 'copied' };
  } catch (error) {
    const fault = faultOf(error, task.kind === 'backup' ? task.target : task.path);
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', fault: fault?.code ?? null, message: fault?.message ?? message };
  }
}

/** For a check, a damaged file is a result, not a failure. */
function check(path: string): readonly string[] {
  const database = new Database(path);
  try {
    return problemsOf(database);
  } catch (error) {
    const fault = faultOf(error, path);
    if (fault?.code !== 'corrupt') throw error;
    return [fault.message];
  } finally {
    database.close();
  }
}

function copy(path: string, target: string): void {
  const database = new Database(path);
  try {
    database.exec('pragma busy_timeout = 5000');
    copyDatabase(database, target);
  } finally {
    database.close();
  }
}

parentPort?.postMessage(run());
