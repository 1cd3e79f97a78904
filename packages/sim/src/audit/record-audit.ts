import type { LogEntry, Report } from './violation.ts';

/** A server keeps the count of a flood in memory for a minute before it becomes a row. */
const COUNTED_WITHIN_MS = 2 * 60_000;

/**
 * Invariant 4: what was acknowledged is on record, once; and what readers were shown is the whole record. Of a flood, as
 * when everything that an agent said during an outage arrives at once, the rows say how many they stand for.
 */
export class RecordAudit {
  private readonly report: Report;
  private readonly timesOnRecord = new Map<string, number>();
  private readonly acknowledged = new Map<string, { readonly agentId: string; readonly at: number }>();

  /** Reports that are on record only as a count, by agent. */
  private readonly countedOnly = new Map<string, number>();
  private readonly deathsAt: number[] = [];

  constructor(report: Report) {
    this.report = report;
  }

  read({ event, agentId }: LogEntry): void {
    if (event.type !== 'BLOCKER_REPORTED') return;
    this.countedOnly.set(agentId, (this.countedOnly.get(agentId) ?? 0) + (event.folded ?? 0));
    const { text } = event.payload;
    this.timesOnRecord.set(text, (this.timesOnRecord.get(text) ?? 0) + 1);
  }

  /** Holter answered that it has this report. */
  heard(reportId: string, agentId: string, at: number): void {
    this.acknowledged.set(reportId, { agentId, at });
  }

  serverDied(at: number): void {
    this.deathsAt.push(at);
  }

  get reports(): number {
    return this.acknowledged.size;
  }

  finish(): void {
    for (const [reportId, { agentId, at }] of this.acknowledged) {
      const times = this.timesOnRecord.get(reportId) ?? 0;
      if (times === 1 || (times === 0 && this.isCounted(agentId, at))) continue;
      this.report(4, agentId, at, `${reportId} was acknowledged and is on record ${times} times`);
    }
  }

  /** Each count covers one report. A count that its server took along is not missed. */
  private isCounted(agentId: string, at: number): boolean {
    const left = this.countedOnly.get(agentId) ?? 0;
    if (left > 0) this.countedOnly.set(agentId, left - 1);
    return left > 0 || this.deathsAt.some((died) => died >= at && died - at <= COUNTED_WITHIN_MS);
  }
}
