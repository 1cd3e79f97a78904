import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';
import type { StoreFault } from '../store.ts';
import { StoreUnavailable } from '../store.ts';
import { problemsOf } from './check.ts';
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

/** A damaged file is what a check is for: it is an answer, not a failure. */
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

/** The copy gets its name only when it is complete and on the disk: a half one is never taken for a backup. */
function copy(path: string, target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already: choose another name`);
  const part = `${target}.part`;
  rmSync(part, { force: true });
  const database = new Database(path);
  try {
    database.exec('pragma busy_timeout = 5000');
    database.prepare('vacuum into ?').run([part]);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    database.close();
  }
  flush(part);
  renameSync(part, target);
  flush(dirname(target));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

parentPort?.postMessage(run());
