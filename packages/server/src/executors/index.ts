/** Executors that are not part of the server: `holter run`, which owns a terminal and a child. */
export { ExecutorHub } from './executor-hub.ts';
export { startExecutors } from './start-executors.ts';
