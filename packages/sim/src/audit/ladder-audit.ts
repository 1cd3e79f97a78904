import { LADDER, type LadderStep } from '@holter/core';
import type { LogEntry, Report } from './violation.ts';

type Open = { readonly id: string; step: LadderStep; attempt: number };

/** Invariant 3, by the log alone: one incident at a time, forward only, and every step decided once. */
export class LadderAudit {
  private readonly report: Report;
  private readonly open = new Map<string, Open>();
  /** (incident, step, attempt) since the incident was opened or reopened. */
  private readonly taken = new Set<string>();

  constructor(report: Report) {
    this.report = report;
  }

  /** When somebody asks whether an agent is in trouble by the log's own words. */
  isOpen(agentId: string): boolean {
    return this.open.has(agentId);
  }

  stepOf(agentId: string): LadderStep | undefined {
    return this.open.get(agentId)?.step;
  }

  read({ event, at, agentId }: LogEntry): void {
    switch (event.type) {
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED': {
        const { incidentId, step } = event.payload;
        const other = this.open.get(agentId);
        if (other) this.report(3, agentId, at, `${incidentId} opened beside ${other.id}`);
        const attempt = event.type === 'INCIDENT_REOPENED' ? event.payload.attempt : 1;
        this.open.set(agentId, { id: incidentId, step, attempt });
        for (const key of this.taken) if (key.startsWith(`${incidentId} `)) this.taken.delete(key);
        return;
      }
      case 'INCIDENT_STEP':
        return this.stepped(agentId, at, event.payload);
      case 'INCIDENT_CLOSED':
        this.open.delete(agentId);
        return;
      default:
        return;
    }
  }

  private stepped(
    agentId: string,
    at: number,
    to: { readonly incidentId: string; readonly step: LadderStep; readonly attempt: number },
  ): void {
    const before = this.open.get(agentId);
    if (before?.id !== to.incidentId) {
      this.report(3, agentId, at, `${to.incidentId} takes a step but is not open`);
      return;
    }
    const key = `${to.incidentId} ${to.step} ${to.attempt}`;
    if (this.taken.has(key)) this.report(3, agentId, at, `${key} was decided twice`);
    this.taken.add(key);
    if (LADDER.indexOf(to.step) < LADDER.indexOf(before.step))
      this.report(3, agentId, at, `from ${before.step} back to ${to.step}`);
    before.step = to.step;
    before.attempt = to.attempt;
  }
}
