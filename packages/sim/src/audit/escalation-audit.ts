import type { HoldKind } from '@holter/core';
import type { AuditedProfile } from './auditor.ts';
import { contract } from './contract.ts';
import type { Orders } from './orders.ts';
import type { TruthLog } from './truth-log.ts';
import type { LogEntry, Report } from './violation.ts';

type Asked = {
  readonly incidentId: string;
  isRead: boolean;
  /** Since when nothing but time stood between the question and the next step. */
  since: number;
};

type About = {
  readonly truth: TruthLog;
  readonly orders: Orders;
  readonly isAccused: (agentId: string) => boolean;
  readonly profileOf: (agentId: string) => AuditedProfile | undefined;
};

/**
 * Invariant 3, its times: in mode `act` the ladder goes on when nobody decides, whether or not anybody has read the
 * notice. Where the operator wants it, only after somebody has; in the other modes, never by itself.
 */
export class EscalationAudit {
  private readonly report: Report;
  private readonly about: About;
  private readonly asked = new Map<string, Asked>();
  private readonly holds = new Map<string, Set<HoldKind>>();

  constructor(report: Report, about: About) {
    this.report = report;
    this.about = about;
  }

  read({ event, agentId, at }: LogEntry): void {
    const asked = this.asked.get(agentId);
    switch (event.type) {
      case 'ESCALATION_TRIGGERED':
        this.asked.set(agentId, { incidentId: event.payload.incidentId, isRead: false, since: at });
        return;
      case 'EFFECT_RECEIPT':
        if (asked && event.payload.effect === 'notify' && event.payload.outcome === 'delivered')
          asked.isRead ||= event.payload.effectId.startsWith(`${asked.incidentId}/escalate/`);
        return;
      case 'INCIDENT_STEP':
        if (asked && (event.payload.step === 'terminate' || event.payload.step === 'human'))
          this.checkStep(agentId, at, asked);
        this.asked.delete(agentId);
        return;
      case 'INCIDENT_CLOSED':
      case 'AGENT_ENDED':
      case 'AGENT_REGISTERED':
        this.asked.delete(agentId);
        this.holds.delete(agentId);
        return;
      case 'HOLD_BEGAN':
        this.holdsOf(agentId).add(event.payload.hold);
        return;
      case 'HOLD_ENDED':
        this.holdsOf(agentId).delete(event.payload.hold);
        if (asked && event.payload.hold !== 'in-tool') asked.since = at;
        return;
      case 'FINDING_RAISED':
      case 'FINDING_CLEARED':
      case 'QUIET_BEGAN':
      case 'QUIET_ENDED':
        if (asked) asked.since = at;
        return;
      default:
        return;
    }
  }

  look(at: number): void {
    for (const [agentId, asked] of this.asked) {
      if (this.about.profileOf(agentId)?.decidedBy !== 'time') continue;
      const isOnHold = [...this.holdsOf(agentId)].some((hold) => hold !== 'in-tool');
      if (isOnHold || !this.about.isAccused(agentId)) asked.since = at;
      const boundMs = contract.decideMs + contract.ownDelayMs;
      if (this.about.truth.watchedMs(agentId, asked.since, at) <= boundMs) continue;
      this.asked.delete(agentId);
      this.report(3, agentId, at, 'nobody decided, and its ladder does not go on');
    }
  }

  private checkStep(agentId: string, at: number, { isRead }: Asked): void {
    const decidedBy = this.about.profileOf(agentId)?.decidedBy;
    if (this.about.orders.has(agentId) || decidedBy === 'time' || decidedBy === undefined) return;
    if (decidedBy === 'people' || !isRead)
      this.report(
        3,
        agentId,
        at,
        `its ladder goes on by itself, ${isRead ? 'and' : 'unread, and'} people decide`,
      );
  }

  private holdsOf(agentId: string): Set<HoldKind> {
    const known = this.holds.get(agentId) ?? new Set<HoldKind>();
    this.holds.set(agentId, known);
    return known;
  }
}
