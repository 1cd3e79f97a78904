/** Executors for the panes of tmux are called `run:tmux-…`, those of `holter run` `run:…`. */
export const PANE_EXECUTOR = 'run:tmux-';

export const isPaneExecutor = (executor: string): boolean => executor.startsWith(PANE_EXECUTOR);

/** The command that looks after the process of an agent, for people. */
export const executorInWords = (executor: string): string =>
  isPaneExecutor(executor) ? '`holter tmux watch`' : '`holter run`';
