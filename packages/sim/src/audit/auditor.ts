import { BrakeAudit } from './brake-audit.ts';
import { ExecutionAudit } from './execution-audit.ts';
import { IncarnationAudit } from './incarnation-audit.ts';
import { LadderAudit } from './ladder-audit.ts';
import { NoticeAudit } from './notice-audit.ts';
import { Orders } from './orders.ts';
import { RecordAudit } from './record-audit.ts';
import { RecoveryAudit } from './recovery-audit.ts';
import { TruthLog } from './truth-log.ts';
import type { AuditViolation, Execution, LogEntry } from './violation.ts';

export type AuditedProfile = {
  readonly group: string;
  readonly intervalMs: number;
  /** False for one whose clock and Holter's are far apart: what it says about times, as the end of a hold, misleads. */
  readonly tellsTime: boolean;
};

/** Kept in full; more of them would only say the same. */
const KEPT_MAX = 20;

/**
 * The independent checker. It reads the event log, as any reader may, and the truth of the world: what agents
 * were, what was really done to them, what was acknowledged. It knows nothing of inputs, records or rules, so a
 * mistake that the rules and their own checker share can still be seen here.
 */
export class Auditor {
  readonly truth = new TruthLog();
  readonly violations: AuditViolation[] = [];
  readonly records: RecordAudit;
  readonly executions: ExecutionAudit;
  readonly brake: BrakeAudit;
  private readonly orders = new Orders();
  private readonly ladder: LadderAudit;
  private readonly incarnations: IncarnationAudit;
  private readonly recovery: RecoveryAudit;
  private readonly notice: NoticeAudit;
  /** What was done, until the log is read up to the line at which it was. */
  private readonly waiting: { readonly cursor: number; readonly judge: () => void }[] = [];
  private readonly terminatedAt = new Map<string, number>();
  /** How often each type of event was read: what was never written was never tried. */
  readonly seen = new Map<string, number>();

  constructor(profileOf: (agentId: string) => AuditedProfile | undefined) {
    const report = this.report.bind(this);
    this.records = new RecordAudit(report);
    this.executions = new ExecutionAudit(report, this.truth, this.orders);
    this.brake = new BrakeAudit(report, this.truth, this.orders, (agentId) => profileOf(agentId)?.group);
    this.ladder = new LadderAudit(report);
    this.incarnations = new IncarnationAudit(report);
    this.recovery = new RecoveryAudit(report);
    this.notice = new NoticeAudit(report, this.truth, (agentId) => this.ladder.isOpen(agentId), profileOf);
  }

  report(invariant: number, agentId: string, at: number, what: string): void {
    if (this.violations.length < KEPT_MAX) this.violations.push({ invariant, agentId, at, what });
  }

  /** Deeds and lines of the log are judged in the order in which they happened, though the log is read later. */
  read(entry: LogEntry): void {
    this.judge(entry.cursor);
    this.seen.set(entry.event.type, (this.seen.get(entry.event.type) ?? 0) + 1);
    this.orders.read(entry);
    this.records.read(entry);
    this.executions.read(entry);
    this.brake.read(entry);
    this.ladder.read(entry);
    this.incarnations.read(entry);
    this.recovery.read(entry);
    this.notice.read(entry);
  }

  begun(execution: Execution): void {
    if (execution.kind === 'terminate') this.terminatedAt.set(execution.agentId, execution.cursor);
    this.waiting.push({
      cursor: execution.cursor,
      judge: () => {
        this.executions.begun(execution);
        this.brake.begun(execution);
      },
    });
  }

  /** A process was really killed; `isTarget` is false when the signal hit another process. Judged with the newest order to kill. */
  killed(agentId: string, at: number, isTarget: boolean): void {
    const cursor = this.terminatedAt.get(agentId) ?? 0;
    this.waiting.push({ cursor, judge: () => this.executions.killed(agentId, at, isTarget) });
  }

  /** The log was read to its end. */
  caughtUp(): void {
    this.judge(Number.POSITIVE_INFINITY);
  }

  private judge(before: number): void {
    for (let next = this.waiting[0]; next !== undefined && next.cursor < before; next = this.waiting[0]) {
      this.waiting.shift();
      next.judge();
    }
  }

  isInTrouble(agentId: string): boolean {
    return this.ladder.isOpen(agentId);
  }

  look(at: number): void {
    this.notice.look(at);
    this.brake.look(at);
  }

  finish(at: number): void {
    this.look(at);
    this.records.finish();
    this.notice.finish(at);
  }
}
