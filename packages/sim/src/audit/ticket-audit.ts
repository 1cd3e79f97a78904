import type { LogEntry, Report } from './violation.ts';

/** Invariants 3 and 6: a ticket ends nothing but itself, and its incident goes no further than a person. */
export class TicketAudit {
  private readonly report: Report;
  private readonly isOrdered: (agentId: string) => boolean;
  private readonly causes = new Map<string, string>();
  /** Agents whose last line of the log says that a ticket was dismissed, by its time. */
  private readonly dismissedAt = new Map<string, number>();

  constructor(report: Report, isOrdered: (agentId: string) => boolean) {
    this.report = report;
    this.isOrdered = isOrdered;
  }

  read({ event, agentId, at }: LogEntry): void {
    const dismissedAt = this.dismissedAt.get(agentId);
    this.dismissedAt.delete(agentId);
    switch (event.type) {
      case 'TICKET_CHANGED':
        if (event.payload.status === 'dismissed') this.dismissedAt.set(agentId, event.at);
        return;
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED':
        this.causes.set(agentId, event.payload.cause);
        return;
      case 'INCIDENT_CLOSED':
        if (dismissedAt === event.at && this.causes.get(agentId) !== 'ticket')
          this.report(3, agentId, at, 'a dismissed ticket closed an incident of the rules');
        this.causes.delete(agentId);
        return;
      case 'INCIDENT_STEP':
        if (
          event.payload.step === 'terminate' &&
          this.causes.get(agentId) === 'ticket' &&
          !this.isOrdered(agentId)
        )
          this.report(6, agentId, at, 'a ticket alone is to stop it');
        return;
      default:
        return;
    }
  }
}
