import type { ProcessIdentity, ProcessRow, ProcessTable, StopSignal } from '@holter/server/process';

type Resident = {
  readonly row: ProcessRow;
  readonly signalled: (signal: StopSignal) => void;
};

/**
 * The process table of a simulated host. Pids are few and are reused at once, so that a kill by pid alone soon hits
 * another process.
 */
export class SimProcessTable implements ProcessTable {
  readonly bootId = 'simulated-boot';
  private readonly residents = new Map<number, Resident>();
  private ticks = 0;

  start(signalled: (signal: StopSignal) => void): ProcessIdentity {
    let pid = 100;
    while (this.residents.has(pid)) pid += 1;
    this.ticks += 1;
    const startedAt = String(this.ticks);
    const row: ProcessRow = {
      pid,
      parentPid: 1,
      groupId: pid,
      state: 'running',
      startedAt,
      cpuMs: 0,
      reapedCpuMs: 0,
      memoryBytes: 0,
    };
    this.residents.set(pid, { row, signalled });
    return { bootId: this.bootId, pid, startedAt };
  }

  end({ pid, startedAt }: ProcessIdentity): void {
    if (this.residents.get(pid)?.row.startedAt === startedAt) this.residents.delete(pid);
  }

  send(pid: number, signal: StopSignal | 'SIGCONT'): void {
    if (signal !== 'SIGCONT') this.residents.get(pid)?.signalled(signal);
  }

  row(pid: number): ProcessRow | null {
    return this.residents.get(pid)?.row ?? null;
  }

  rows(): readonly ProcessRow[] {
    return [...this.residents.values()].map(({ row }) => row);
  }

  childPids(): readonly number[] {
    return [];
  }

  userOf(): number | null {
    return null;
  }

  argv(): readonly string[] | null {
    return null;
  }

  environment(): Readonly<Record<string, string>> | null {
    return null;
  }

  ioBytes(): number | null {
    return null;
  }

  pidsMarked(): readonly number[] {
    return [];
  }
}
