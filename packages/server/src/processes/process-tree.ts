import type { ProcessIdentity, ProcessRow, ProcessTable } from './process-table.ts';
import { findProcess, identityOf, RUN_MARKER } from './process-table.ts';

/** More than any agent's tree; a fork bomb must not become the monitor's own trouble. */
const PROCESSES_MAX = 5_000;

/**
 * A process and all that came from it. Children leave: they call setsid, outlive their parent and hang from
 * pid 1 then. So every process that was ever seen below the root stays noted, and a sweep also finds those
 * that were never seen, by the mark in their environment.
 */
export class ProcessTree {
  readonly root: ProcessIdentity;
  private readonly table: ProcessTable;
  private readonly marker: string;
  private readonly noted = new Map<number, ProcessIdentity>();

  constructor(table: ProcessTable, root: ProcessIdentity, runId: string) {
    this.table = table;
    this.root = root;
    this.marker = `${RUN_MARKER}=${runId}`;
    this.noted.set(root.pid, root);
  }

  /** Those alive now that are known or below a known one; the root comes first if it lives. */
  look(): readonly ProcessRow[] {
    const living = new Map<number, ProcessRow>();
    for (const identity of [...this.noted.values()]) {
      const row = findProcess(this.table, identity);
      if (row) living.set(row.pid, row);
      else this.noted.delete(identity.pid);
    }
    // Rows that are added below are visited as well: a Map may grow while it is walked.
    for (const { pid } of living.values()) {
      for (const childPid of this.table.childPids(pid)) {
        if (living.has(childPid) || living.size >= PROCESSES_MAX) continue;
        const child = this.table.row(childPid);
        // Read after its parent was: it may have died, and its pid may be a stranger's by now.
        if (!child || child.parentPid !== pid) continue;
        living.set(childPid, child);
        this.note(child);
      }
    }
    return [...living.values()].filter(({ state }) => state !== 'zombie');
  }

  /** As `look`, and those that only their environment gives away. */
  sweep(): readonly ProcessRow[] {
    for (const pid of this.table.pidsMarked(this.marker)) {
      const row = this.table.row(pid);
      // A wrapper inherits the mark of the run that it is part of; it must never find itself.
      if (row && pid !== process.pid) this.note(row);
    }
    return this.look();
  }

  private note(row: ProcessRow): void {
    if (this.noted.get(row.pid)?.startedAt !== row.startedAt)
      this.noted.set(row.pid, identityOf(this.table, row));
  }
}
