import type { ProcessState, SignalBody } from '@holter/core';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

export type ProcessLook = Extract<SignalBody, { kind: 'process' }>;

type Counters = { readonly startedAt: string; readonly cpuMs: number; readonly ioBytes: number };

/**
 * What the operating system says about a tree, as one signal. The counters only ever grow: processes die and
 * would take their share of a plain sum along, which would look like stillness while work goes on.
 */
export class TreeSensor {
  private readonly table: ProcessTable;
  private readonly tree: ProcessTree;
  private readonly before = new Map<number, Counters>();
  private cpuMs = 0;
  private ioBytes = 0;

  constructor(table: ProcessTable, tree: ProcessTree) {
    this.table = table;
    this.tree = tree;
  }

  look(): ProcessLook {
    const rows = this.tree.look();
    const { root } = this.tree;
    const living = new Set<number>();
    let childrenAtWork = 0;
    let memoryBytes = 0;
    for (const row of rows) {
      living.add(row.pid);
      memoryBytes += row.memoryBytes;
      const hasMoved = this.count(row);
      // A helper that sleeps all day is no child at work, one that was born since the last look is.
      const isBusy = hasMoved || row.state === 'running' || row.state === 'uninterruptible';
      if (row.pid !== root.pid && isBusy) childrenAtWork += 1;
    }
    for (const pid of this.before.keys()) if (!living.has(pid)) this.before.delete(pid);
    const rootRow = rows.find(({ pid, startedAt }) => pid === root.pid && startedAt === root.startedAt);
    return {
      kind: 'process',
      state: rootRow ? stateOf(rootRow) : 'gone',
      cpuMs: this.cpuMs,
      ioBytes: this.ioBytes,
      childrenAtWork,
      memoryBytes,
    };
  }

  /** Adds what this process did since the last look; says whether it did anything. */
  private count(row: ProcessRow): boolean {
    const { pid, startedAt } = row;
    const known = this.before.get(pid);
    const before = known?.startedAt === startedAt ? known : null;
    // A reaped child counts twice if it was seen alive; better than that its work counts not at all.
    const cpuMs = row.cpuMs + row.reapedCpuMs;
    const ioBytes = this.table.ioBytes(pid) ?? before?.ioBytes ?? 0;
    const cpuGrown = Math.max(0, cpuMs - (before?.cpuMs ?? 0));
    const ioGrown = Math.max(0, ioBytes - (before?.ioBytes ?? 0));
    this.cpuMs += cpuGrown;
    this.ioBytes += ioGrown;
    this.before.set(pid, { startedAt, cpuMs, ioBytes });
    return before === null || cpuGrown > 0 || ioGrown > 0;
  }
}

function stateOf({ state }: ProcessRow): ProcessState {
  switch (state) {
    case 'stopped':
      return 'stopped';
    case 'uninterruptible':
      return 'uninterruptible';
    case 'zombie':
      return 'gone';
    case 'running':
    case 'sleeping':
      return 'running';
  }
}
