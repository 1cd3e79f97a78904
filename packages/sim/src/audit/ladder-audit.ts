import { type EventOf, LADDER, type LadderStep } from '@holter/core';
import { contract } from './contract.ts';
import type { LogEntry, Report } from './violation.ts';

type Open = {
  readonly id: string;
  readonly cause: string;
  step: LadderStep;
  attempt: number;
  /** Steps and attempts decided since it was opened or reopened. */
  readonly decided: Set<string>;
};
type Closed = {
  readonly cause: string;
  readonly step: LadderStep;
  readonly at: number;
  readonly incarnation: number;
};

const rankOf = (step: LadderStep): number => LADDER.indexOf(step);

/** Invariant 3: one incident at a time, forward only, each step decided once, and no start from the bottom after a pause. */
export class LadderAudit {
  private readonly report: Report;
  private readonly open = new Map<string, Open>();
  private readonly closed = new Map<string, Closed>();

  constructor(report: Report) {
    this.report = report;
  }

  isOpen(agentId: string): boolean {
    return this.open.has(agentId);
  }

  stepOf(agentId: string): LadderStep | undefined {
    return this.open.get(agentId)?.step;
  }

  read(entry: LogEntry): void {
    const { event, agentId, at } = entry;
    switch (event.type) {
      case 'INCIDENT_OPENED':
        this.checkBottom(agentId, at, event);
        return this.begin(agentId, at, event.payload, 1);
      case 'INCIDENT_REOPENED': {
        const { incidentId, step, attempt } = event.payload;
        if (rankOf(step) > rankOf('escalate'))
          this.report(3, agentId, at, `${incidentId} reopened at ${step}`);
        return this.begin(agentId, at, event.payload, attempt);
      }
      case 'INCIDENT_STEP':
        return this.stepped(agentId, at, event.payload);
      case 'INCIDENT_CLOSED': {
        const open = this.open.get(agentId);
        this.open.delete(agentId);
        const { at: closedAt, incarnation } = event;
        if (open) this.closed.set(agentId, { cause: open.cause, step: open.step, at: closedAt, incarnation });
        return;
      }
      default:
        return;
    }
  }

  private begin(
    agentId: string,
    at: number,
    { incidentId, cause, step }: { incidentId: string; cause: string; step: LadderStep },
    attempt: number,
  ): void {
    const other = this.open.get(agentId);
    if (other) this.report(3, agentId, at, `${incidentId} opened beside ${other.id}`);
    this.open.set(agentId, { id: incidentId, cause, step, attempt, decided: new Set() });
  }

  /** The same trouble after a short pause is the same incident. */
  private checkBottom(agentId: string, at: number, event: EventOf<'INCIDENT_OPENED'>): void {
    const { cause } = event.payload;
    const past = this.closed.get(agentId);
    // A person who nudges twice means two nudges, and each ticket asks anew.
    const isAlwaysNew = cause === 'operator' || cause === 'ticket';
    if (!past || isAlwaysNew || past.cause !== cause || past.incarnation !== event.incarnation) return;
    const pausedMs = event.at - past.at;
    if (rankOf(past.step) > rankOf('escalate') || pausedMs > contract.reopenWithinMs) return;
    const minutes = Math.round(pausedMs / 60_000);
    this.report(
      3,
      agentId,
      at,
      `${cause} starts at the bottom again ${minutes} min after it was at ${past.step}`,
    );
  }

  private stepped(
    agentId: string,
    at: number,
    to: { readonly incidentId: string; readonly step: LadderStep; readonly attempt: number },
  ): void {
    const open = this.open.get(agentId);
    if (open?.id !== to.incidentId) {
      this.report(3, agentId, at, `${to.incidentId} takes a step but is not open`);
      return;
    }
    const key = `${to.step} ${to.attempt}`;
    const isForward =
      rankOf(to.step) > rankOf(open.step) || (to.step === open.step && to.attempt >= open.attempt);
    if (open.decided.has(key)) this.report(3, agentId, at, `${to.incidentId} ${key} was decided twice`);
    else if (!isForward)
      this.report(3, agentId, at, `from ${open.step} ${open.attempt} back to ${to.step} ${to.attempt}`);
    open.decided.add(key);
    open.step = to.step;
    open.attempt = to.attempt;
  }
}
