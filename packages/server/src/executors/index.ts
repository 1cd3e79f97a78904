/** Executors outside the server process: `holter run`, which owns a terminal and a child. */
export { ExecutorHub } from './executor-hub.ts';
export type { RunRecord } from './run-record.ts';
export { findRun } from './run-rows.ts';
export { startExecutors } from './start-executors.ts';
