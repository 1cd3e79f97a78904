import type { LogEntry, Report } from './violation.ts';

/** Invariant 4: what was acknowledged is on record, once; and what readers were shown is the whole record. */
export class RecordAudit {
  private readonly report: Report;
  private readonly timesOnRecord = new Map<string, number>();
  private readonly acknowledged = new Map<string, { readonly agentId: string; readonly at: number }>();

  constructor(report: Report) {
    this.report = report;
  }

  read({ event }: LogEntry): void {
    if (event.type !== 'BLOCKER_REPORTED') return;
    const { text } = event.payload;
    this.timesOnRecord.set(text, (this.timesOnRecord.get(text) ?? 0) + 1);
  }

  /** Holter answered that it has this report. */
  heard(reportId: string, agentId: string, at: number): void {
    this.acknowledged.set(reportId, { agentId, at });
  }

  get reports(): number {
    return this.acknowledged.size;
  }

  finish(): void {
    for (const [reportId, { agentId, at }] of this.acknowledged) {
      const times = this.timesOnRecord.get(reportId) ?? 0;
      if (times !== 1)
        this.report(4, agentId, at, `${reportId} was acknowledged and is on record ${times} times`);
    }
  }
}
