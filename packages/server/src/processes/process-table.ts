/**
 * A process as nobody can mistake it: pids are used again, also within a second; a pid together with its
 * start time is not, until the machine boots again.
 */
export type ProcessIdentity = {
  readonly bootId: string;
  readonly pid: number;
  /** As the system words it, only to be compared: clock ticks since boot on Linux, a date on macOS. */
  readonly startedAt: string;
};

/** `stopped` is SIGSTOP or a debugger; `uninterruptible` waits inside the kernel, where no signal reaches. */
export type RowState = 'running' | 'sleeping' | 'uninterruptible' | 'stopped' | 'zombie';

/** One look at one process. */
export type ProcessRow = {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly state: RowState;
  readonly startedAt: string;
  /** Of its own, since its start. */
  readonly cpuMs: number;
  /** Of children that it has waited for: the only trace of those that lived between two looks. */
  readonly reapedCpuMs: number;
  readonly memoryBytes: number;
};

/** What an operating system can be asked about processes. Whatever can't be read is null, never a guess. */
export type ProcessTable = {
  readonly bootId: string;
  row(pid: number): ProcessRow | null;
  /** All that can be seen. Slow: a few milliseconds on a busy machine. */
  rows(): readonly ProcessRow[];
  childPids(pid: number): readonly number[];
  /** The user that it acts as. */
  userOf(pid: number): number | null;
  /** Bytes read and written since its start, terminals and sockets included. */
  ioBytes(pid: number): number | null;
  /** Its program and arguments, as it was called. */
  argv(pid: number): readonly string[] | null;
  /** The environment that it was started with. */
  environment(pid: number): Readonly<Record<string, string>> | null;
  /** Processes whose environment carries this text, wherever they stand in the tree. */
  pidsMarked(marker: string): readonly number[];
};

export const identityOf = (table: ProcessTable, { pid, startedAt }: ProcessRow): ProcessIdentity => ({
  bootId: table.bootId,
  pid,
  startedAt,
});

/** Its row if it is this very process; null when it is gone, also if another one has its pid now. */
export function findProcess(table: ProcessTable, identity: ProcessIdentity): ProcessRow | null {
  if (identity.bootId !== table.bootId) return null;
  const row = table.row(identity.pid);
  return row && row.startedAt === identity.startedAt ? row : null;
}

/** A zombie has ended: it holds nothing but its exit code, which its parent has not read yet. */
export function isAlive(table: ProcessTable, identity: ProcessIdentity): boolean {
  const row = findProcess(table, identity);
  return row !== null && row.state !== 'zombie';
}

/** The name of the environment variable by which children are found that left group, session and parent. */
export const RUN_MARKER = 'HOLTER_RUN_ID';

/** The name of the environment variable of everything that runs below a command of Holter's own judge. */
export const JUDGE_MARKER = 'HOLTER_JUDGE';
