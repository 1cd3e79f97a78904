import type { Clock } from '../engine/clock.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { findProcess, identityOf } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

type Send = (pid: number, signal: StopSignal | 'SIGCONT') => void;

type StopOptions = {
  readonly table: ProcessTable;
  readonly tree: ProcessTree;
  readonly clock: Clock;
  /** What a test puts in the place of `process.kill`. */
  readonly send?: Send;
  /** For everything together, the last look included. */
  readonly cleanupMs: number;
  /** Where the ladder begins; leftovers of a dead agent need no question whether they would like to save. */
  readonly from?: StopSignal;
};

export type Stopped =
  /** `by` is the last rung that was needed; null when there was nothing left to stop. */
  | { readonly kind: 'gone'; readonly by: StopSignal | null; readonly signalled: number }
  | { readonly kind: 'still-there'; readonly left: readonly ProcessRow[] };

/** SIGINT first: agents know it as "stop and save". Each rung begins at its share of the time. */
const rungs: readonly { readonly signal: StopSignal; readonly share: number }[] = [
  { signal: 'SIGINT', share: 0 },
  { signal: 'SIGTERM', share: 1 / 3 },
  { signal: 'SIGKILL', share: 2 / 3 },
];

const LOOK_EVERY_MS = 25;

/**
 * Ends a tree, and proves it. SIGINT goes to the root alone, which may want to end its tools in order; the
 * others go to everything that is left. Nothing is signalled by its pid alone: right before each signal the
 * process is looked up again, and another start time means another process.
 */
export async function stopTree(options: StopOptions): Promise<Stopped> {
  const { tree, clock, cleanupMs, from = 'SIGINT' } = options;
  const first = rungs.findIndex(({ signal }) => signal === from);
  const startedAt = clock.now();
  const skippedMs = (rungs[first]?.share ?? 0) * cleanupMs;
  const signalled = new Set<string>();
  let by: StopSignal | null = null;
  let left = tree.sweep();
  for (let rung = first; ; ) {
    if (left.length === 0) return { kind: 'gone', by, signalled: signalled.size };
    const elapsed = clock.now() - startedAt + skippedMs;
    if (elapsed >= cleanupMs) return { kind: 'still-there', left };
    const hasRoot = left.some(({ pid }) => pid === tree.root.pid);
    while (isDue(rung, elapsed, cleanupMs, hasRoot)) rung += 1;
    const { signal } = rungs[rung] ?? { signal: 'SIGKILL' as const };
    by = signal;
    for (const row of left) {
      const once = `${signal} ${row.pid} ${row.startedAt}`;
      if (signalled.has(once) || (signal === 'SIGINT' && row.pid !== tree.root.pid)) continue;
      signalled.add(once);
      sendTo(options, row, signal);
    }
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
    // Only an empty look needs the slow proof; until then the fast one does.
    left = tree.look();
    if (left.length === 0 || signal === 'SIGKILL') left = tree.sweep();
  }
}

const kill: Send = (pid, signal) => void process.kill(pid, signal);

/** The receipt of a termination, by whichever executor. */
export function receiptOfStop(stopped: Stopped): { outcome: 'done' | 'unknown'; detail: string } {
  if (stopped.kind === 'gone')
    return { outcome: 'done', detail: `ended by ${stopped.by ?? 'itself'}, with all its children` };
  const pids = stopped.left.map(({ pid, state }) => `${pid} (${state})`).join(', ');
  return { outcome: 'unknown', detail: `still there after SIGKILL: ${pids}` };
}

/** Whether the next rung's turn has come: by time, or because SIGINT has nobody left to speak to. */
function isDue(rung: number, elapsed: number, cleanupMs: number, hasRoot: boolean): boolean {
  const next = rungs[rung + 1];
  if (!next) return false;
  return elapsed >= next.share * cleanupMs || (rungs[rung]?.signal === 'SIGINT' && !hasRoot);
}

function sendTo({ table, send = kill }: StopOptions, row: ProcessRow, signal: StopSignal): void {
  const now = findProcess(table, identityOf(table, row));
  if (!now || now.state === 'zombie') return;
  try {
    send(row.pid, signal);
    // A stopped process keeps the signal for later; it has to go on in order to be told.
    if (now.state === 'stopped' && signal !== 'SIGKILL') send(row.pid, 'SIGCONT');
  } catch {
    // It went between the look and the signal, or it is not ours to signal; the next look tells.
  }
}

/** Lets a stopped process go on, if it is still this very one and still stopped. Says whether it did. */
export function maybeContinue(
  { table, send = kill }: Pick<StopOptions, 'table' | 'send'>,
  tree: ProcessTree,
): boolean {
  let isSent = false;
  for (const row of tree.look()) {
    if (row.state !== 'stopped' || findProcess(table, identityOf(table, row))?.state !== 'stopped') continue;
    try {
      send(row.pid, 'SIGCONT');
      isSent = true;
    } catch {
      // Gone meanwhile.
    }
  }
  return isSent;
}
