import type { HoldKind } from '@holter/core';
import { contract } from './contract.ts';
import type { LogEntry } from './violation.ts';

/** Waits that an agent can only declare itself; nothing else shows that it waits. */
const DECLARED: ReadonlySet<string> = new Set<HoldKind>([
  'asleep',
  'hibernated',
  'awaiting-gate',
  'rate-limited',
]);

/**
 * Agents whose own word protects them no longer: they have been on a hold that they declared for 45 minutes, with an
 * open incident. One whose clock is wrong, or whose word comes late, gets there without a fault of its own: its silence
 * opened the incident before its hold was heard.
 */
export class SpentHolds {
  private readonly heldSince = new Map<string, number>();
  private readonly openSince = new Map<string, number>();

  isSpent(agentId: string, at: number): boolean {
    const [held = at, open = at] = [this.heldSince.get(agentId), this.openSince.get(agentId)];
    return at - Math.max(held, open) >= contract.ownHoldMs;
  }

  read({ event, agentId, at }: LogEntry): void {
    switch (event.type) {
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED':
        if (!this.openSince.has(agentId)) this.openSince.set(agentId, at);
        return;
      case 'INCIDENT_CLOSED':
        this.openSince.delete(agentId);
        return;
      case 'HOLD_BEGAN':
        if (DECLARED.has(event.payload.hold) && !this.heldSince.has(agentId)) this.heldSince.set(agentId, at);
        return;
      case 'HOLD_ENDED':
        if (DECLARED.has(event.payload.hold)) this.heldSince.delete(agentId);
        return;
      case 'AGENT_REGISTERED':
        this.heldSince.delete(agentId);
    }
  }
}
