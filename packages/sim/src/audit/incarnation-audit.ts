import type { LogEntry, Report } from './violation.ts';

/** Written about the present whatever it concerns: a refusal names the start that was refused. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set(['SIGNAL_REJECTED', 'DECISION_REJECTED']);

/** Invariant 5: a start that was followed by another one writes nothing any more. */
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
}
