import type { Execution, LogEntry, Report } from './violation.ts';

/** A refusal names the incarnation that was refused; a cancelled order, the one that it was meant for. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set([
  'SIGNAL_REJECTED',
  'DECISION_REJECTED',
  'EFFECT_CANCELLED',
]);

/** Invariant 5: nothing is written for an incarnation that was replaced, and none is stopped in place of another. */
export class IncarnationAudit {
  private readonly report: Report;
  private readonly newest = new Map<string, number>();

  constructor(report: Report) {
    this.report = report;
  }

  read({ event, at, agentId }: LogEntry): void {
    if (!('agentId' in event.payload)) return;
    const newest = this.newest.get(agentId) ?? 0;
    if (event.type === 'AGENT_REGISTERED') {
      if (event.incarnation <= newest)
        this.report(5, agentId, at, `start ${event.incarnation} after start ${newest}`);
      this.newest.set(agentId, Math.max(newest, event.incarnation));
    } else if (event.incarnation < newest && !ABOUT_OTHERS.has(event.type))
      this.report(5, agentId, at, `${event.type} of start ${event.incarnation} after start ${newest}`);
  }

  begun({ kind, agentId, incarnation, from }: Execution): void {
    const newest = this.newest.get(agentId) ?? 0;
    if (kind === 'terminate' && incarnation !== newest)
      this.report(5, agentId, from, `the order to stop incarnation ${incarnation} hits ${newest}`);
  }
}
