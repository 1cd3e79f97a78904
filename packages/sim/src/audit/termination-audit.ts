import type { Effect, FindingKind } from '@holter/core';
import type { AuditedProfile } from './auditor.ts';
import type { Orders } from './orders.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

/** What the operating system says about a process that does nothing. */
const SEEN: ReadonlySet<FindingKind> = new Set<FindingKind>(['frozen']);
/** What the agent's own reports, or the lack of them, say. */
const REPORTED: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'silent',
  'work-unstarted',
  'checkpoint-stale',
  'missed-heartbeats',
  'no-pong',
]);
/** Loops, which count as two sources once they go on after a nudge. */
const LOOPS: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'repeated-call',
  'call-cycle',
  'same-error',
  'zero-diversity',
]);

/** Invariant 6: what the log says against an agent when Holter stops it without an order. */
export class TerminationAudit {
  private readonly report: Report;
  private readonly orders: Orders;
  private readonly profileOf: (agentId: string) => AuditedProfile | undefined;
  /** `act` findings that are open, by agent. */
  private readonly findings = new Map<string, Set<FindingKind>>();
  private readonly nudged = new Set<string>();

  constructor(report: Report, orders: Orders, profileOf: (agentId: string) => AuditedProfile | undefined) {
    this.report = report;
    this.orders = orders;
    this.profileOf = profileOf;
  }

  read({ event, agentId }: LogEntry): void {
    switch (event.type) {
      case 'FINDING_RAISED':
        if (event.payload.severity === 'act') this.findingsOf(agentId).add(event.payload.kind);
        else this.findingsOf(agentId).delete(event.payload.kind);
        return;
      case 'FINDING_CLEARED':
        this.findingsOf(agentId).delete(event.payload.kind);
        return;
      case 'AGENT_REGISTERED':
        this.findings.delete(agentId);
        return;
      case 'NUDGE_SENT':
        this.nudged.add(agentId);
        return;
      case 'INCIDENT_CLOSED':
        this.nudged.delete(agentId);
        return;
      default:
        return;
    }
  }

  /** Decided; `at` is in the world's time. */
  ordered({ kind, agentId }: Effect, at: number): void {
    if (kind === 'terminate') this.check(agentId, at, 'ordered to stop');
  }

  /** Claimed and carried out: the evidence must still stand. */
  begun({ kind, agentId, from }: Execution): void {
    if (kind === 'terminate') this.check(agentId, from, 'stopped without a re-check');
  }

  /** Whether something speaks for a step. */
  isAccused(agentId: string): boolean {
    return this.findingsOf(agentId).size > 0;
  }

  isAtLimit(agentId: string): boolean {
    const isStopped = this.profileOf(agentId)?.isStoppedAtLimit === true;
    return isStopped && this.findingsOf(agentId).has('limit-exceeded');
  }

  private check(agentId: string, at: number, what: string): void {
    const profile = this.profileOf(agentId);
    if (!profile || this.orders.has(agentId)) return;
    const findings = this.findingsOf(agentId);
    if (this.isAtLimit(agentId)) return;
    const missing = profile.canBeStopped
      ? this.missing(agentId, findings)
      : 'its mode or means do not allow it';
    if (missing !== null) this.report(6, agentId, at, `${what}: ${missing}`);
  }

  private missing(agentId: string, findings: ReadonlySet<FindingKind>): string | null {
    const has = (kinds: ReadonlySet<FindingKind>): boolean => [...findings].some((kind) => kinds.has(kind));
    if (has(LOOPS)) return this.nudged.has(agentId) || has(SEEN) ? null : 'it loops and was never nudged';
    if (!has(SEEN)) return 'nothing but silence speaks for it';
    return has(REPORTED) ? null : 'only the operating system speaks for it';
  }

  private findingsOf(agentId: string): Set<FindingKind> {
    const known = this.findings.get(agentId) ?? new Set<FindingKind>();
    this.findings.set(agentId, known);
    return known;
  }
}
