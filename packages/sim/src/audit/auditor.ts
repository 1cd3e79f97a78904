import type { Effect } from '@holter/core';
import { AuthorityAudit } from './authority-audit.ts';
import { BrakeAudit } from './brake-audit.ts';
import { BreakerAudit } from './breaker-audit.ts';
import { EscalationAudit } from './escalation-audit.ts';
import { ExecutionAudit } from './execution-audit.ts';
import { FloodAudit } from './flood-audit.ts';
import { IncarnationAudit } from './incarnation-audit.ts';
import { LadderAudit } from './ladder-audit.ts';
import { NoticeAudit } from './notice-audit.ts';
import { Orders } from './orders.ts';
import { PendingAudit } from './pending-audit.ts';
import { RecordAudit } from './record-audit.ts';
import { RecoveryAudit } from './recovery-audit.ts';
import { ShareAudit } from './share-audit.ts';
import { SpentHolds } from './spent-holds.ts';
import { TerminationAudit } from './termination-audit.ts';
import { TicketAudit } from './ticket-audit.ts';
import { TruthLog } from './truth-log.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

export type AuditedProfile = {
  readonly group: string;
  readonly intervalMs: number;
  /** False for an agent whose clock and Holter's are far apart: the times that it names, as the end of a hold, mislead. */
  readonly tellsTime: boolean;
  /** Its process is looked at, so only an end that was seen counts. */
  readonly isWatched: boolean;
  /** Holter may stop it by itself, and bring it back. */
  readonly canBeStopped: boolean;
  /** Its operator has decided in advance that it is stopped at its limit. */
  readonly isStoppedAtLimit: boolean;
  /** What ends the wait of an escalation: only people, time once somebody has read the notice, or time alone. */
  readonly decidedBy: 'people' | 'readers' | 'time';
};

type AuditorOptions = {
  readonly profileOf: (agentId: string) => AuditedProfile | undefined;
  /** An effect is carried out at the very moment of its claim, so the log must still agree with it. */
  readonly isExact: boolean;
  /** The log is the stored one, in which floods are folded. */
  readonly isStored?: boolean;
};

/**
 * The independent judge. It reads the event log, as any reader may, and the truth of the world: what agents were, what
 * was really done to them, what callers and reporters were answered. It knows nothing of records and rules, so it does
 * not share their mistakes.
 */
export class Auditor {
  readonly truth = new TruthLog();
  readonly report: Report;
  readonly records: RecordAudit;
  readonly executions: ExecutionAudit;
  readonly authority: AuthorityAudit;
  readonly brake: BrakeAudit;
  readonly breakers: BreakerAudit;
  readonly pending: PendingAudit;
  readonly shares: ShareAudit;
  private readonly orders = new Orders();
  private readonly holds = new SpentHolds();
  private readonly ladder: LadderAudit;
  private readonly escalations: EscalationAudit;
  private readonly incarnations: IncarnationAudit;
  private readonly recovery: RecoveryAudit;
  private readonly termination: TerminationAudit;
  private readonly notice: NoticeAudit;
  private readonly tickets: TicketAudit;
  private readonly isExact: boolean;
  private readonly floods: FloodAudit | null;
  /** What was done, until the log is read up to the line at which it was. */
  private readonly waiting: { readonly cursor: number; readonly judge: () => void }[] = [];
  private readonly terminatedAt = new Map<string, number>();
  /** How often each type of event was read: what was never written was never tried. */
  readonly seen = new Map<string, number>();

  constructor(report: Report, { profileOf, isExact, isStored = false }: AuditorOptions) {
    this.report = report;
    this.isExact = isExact;
    this.floods = isStored ? new FloodAudit(report) : null;
    this.records = new RecordAudit(report);
    this.executions = new ExecutionAudit(report, this.truth, this.orders, this.holds);
    this.authority = new AuthorityAudit(report, this.truth, profileOf);
    this.ladder = new LadderAudit(report);
    this.brake = new BrakeAudit(report, {
      orders: this.orders,
      groupOf: (agentId) => profileOf(agentId)?.group,
      intervalOf: (agentId) => profileOf(agentId)?.intervalMs,
      isBeingStopped: (agentId) => this.ladder.stepOf(agentId) === 'terminate',
    });
    this.breakers = new BreakerAudit(report);
    this.pending = new PendingAudit(report);
    this.shares = new ShareAudit(report);
    this.incarnations = new IncarnationAudit(report);
    this.recovery = new RecoveryAudit(report, this.orders);
    this.termination = new TerminationAudit(report, this.orders, profileOf);
    this.escalations = new EscalationAudit(report, {
      truth: this.truth,
      orders: this.orders,
      isAccused: (agentId) => this.termination.isAccused(agentId),
      profileOf,
    });
    this.tickets = new TicketAudit(report, (agentId) => this.orders.has(agentId));
    this.notice = new NoticeAudit(report, {
      truth: this.truth,
      orders: this.orders,
      holds: this.holds,
      isOpen: (agentId) => this.ladder.isOpen(agentId),
      profileOf,
    });
  }

  /** Executions and lines of the log are judged in the order in which they happened, though the log is read later. */
  read(entry: LogEntry): void {
    this.judge(entry.cursor);
    this.seen.set(entry.event.type, (this.seen.get(entry.event.type) ?? 0) + 1);
    this.orders.read(entry);
    this.holds.read(entry);
    this.records.read(entry);
    this.floods?.read(entry);
    this.executions.read(entry);
    this.authority.read(entry);
    this.brake.read(entry);
    this.pending.read(entry);
    this.ladder.read(entry);
    this.incarnations.read(entry);
    this.recovery.read(entry);
    this.termination.read(entry);
    this.escalations.read(entry);
    this.notice.read(entry);
    this.tickets.read(entry);
  }

  /** An effect was decided, with everything that the log says so far. */
  ordered(effect: Effect, at: number, loggedAt: number): void {
    this.brake.ordered(effect, at, loggedAt);
    this.breakers.ordered(effect, this.orders.has(effect.agentId), at);
    this.termination.ordered(effect, at);
  }

  begun(execution: Execution): void {
    if (execution.kind === 'terminate') this.terminatedAt.set(execution.agentId, execution.cursor);
    this.waiting.push({
      cursor: execution.cursor,
      judge: () => {
        this.executions.begun(execution);
        this.brake.begun(execution);
        if (!this.isExact) return;
        this.termination.begun(execution);
        this.incarnations.begun(execution);
      },
    });
  }

  /** A process was really killed; `isTarget` is false when the signal hit another process. Judged with the newest order to kill. */
  killed(agentId: string, at: number, isTarget: boolean): void {
    const cursor = this.terminatedAt.get(agentId) ?? 0;
    this.waiting.push({ cursor, judge: () => this.executions.killed(agentId, at, isTarget) });
  }

  serverDied(id: number, at: number): void {
    this.executions.serverDied(id, at);
    this.records.serverDied(at);
  }

  /** The log has been read to its end. */
  caughtUp(): void {
    this.judge(Number.POSITIVE_INFINITY);
  }

  private judge(before: number): void {
    for (let next = this.waiting[0]; next !== undefined && next.cursor < before; next = this.waiting[0]) {
      this.waiting.shift();
      next.judge();
    }
  }

  /** Whether a person's order, or one that was given in advance, speaks for stopping it. */
  isOrdered(agentId: string): boolean {
    return this.orders.has(agentId) || this.termination.isAtLimit(agentId);
  }

  /** Whether a person has approved that another takes its place, although it may still run. */
  isGivenUp(agentId: string): boolean {
    return this.orders.isGivenUp(agentId);
  }

  isInTrouble(agentId: string): boolean {
    return this.ladder.isOpen(agentId);
  }

  look(at: number): void {
    this.notice.look(at);
    this.escalations.look(at);
    this.authority.look(at);
  }

  finish(at: number): void {
    this.look(at);
    this.brake.settle(Number.POSITIVE_INFINITY, at);
    this.records.finish();
  }
}
