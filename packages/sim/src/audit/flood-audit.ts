import { contract } from './contract.ts';
import type { LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;

/**
 * Invariant 12: an agent that reports without end makes a bounded number of rows in the record, and the rows say how
 * many more they stand for. Of checkpoints, which an agent may report as often as it likes.
 */
export class FloodAudit {
  private readonly report: Report;
  /** By agent: when rows were written within the last minute, oldest first. */
  private readonly rows = new Map<string, number[]>();
  private readonly told = new Set<string>();

  constructor(report: Report) {
    this.report = report;
  }

  read({ event, agentId, at }: LogEntry): void {
    if (event.type !== 'CHECKPOINT_WRITTEN' || this.told.has(agentId)) return;
    const recent = (this.rows.get(agentId) ?? []).filter((writtenAt) => writtenAt > at - MINUTE_MS);
    recent.push(at);
    this.rows.set(agentId, recent);
    if (recent.length <= contract.rowsPerMinute) return;
    this.told.add(agentId);
    this.report(12, agentId, at, `its reports made ${recent.length} rows in a minute`);
  }
}
