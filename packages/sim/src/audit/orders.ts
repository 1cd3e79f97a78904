import type { DecisionWord } from '@holter/core';
import type { LogEntry } from './violation.ts';

const ORDERS: ReadonlySet<string> = new Set<DecisionWord>([
  'terminate',
  'terminate_and_recover',
  'force_handoff',
  'recover',
  'replace',
]);

/** For which agents a person's order holds: from the line that says so until its incident is closed. */
export class Orders {
  /** By agent: the incident that an order is about; null until the one is opened that it calls for. */
  private readonly ordered = new Map<string, string | null>();
  /** Lost agents that a person has given up: they may still run, and nobody claims otherwise. */
  private readonly givenUp = new Set<string>();

  has(agentId: string): boolean {
    return this.ordered.has(agentId);
  }

  /** Until its name registers again, or it is heard before the order was carried out. */
  isGivenUp(agentId: string): boolean {
    return this.givenUp.has(agentId);
  }

  read({ event, agentId }: LogEntry): void {
    if (event.type === 'DECISION_MADE' && event.payload.decision === 'replace') this.givenUp.add(agentId);
    const isHeard = event.type === 'LIVENESS_CHANGED' && event.payload.to === 'alive';
    if (isHeard || event.type === 'AGENT_REGISTERED') this.givenUp.delete(agentId);
    if (event.type === 'DECISION_MADE' && ORDERS.has(event.payload.decision))
      this.ordered.set(agentId, event.payload.incidentId);
    // An order that takes over from an incident closes it, and opens one of its own.
    if (event.type === 'INCIDENT_OPENED' && event.payload.cause === 'operator')
      this.ordered.set(agentId, event.payload.incidentId);
    if (event.type === 'INCIDENT_CLOSED' && this.ordered.get(agentId) === event.payload.incidentId)
      this.ordered.delete(agentId);
  }
}
