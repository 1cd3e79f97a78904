import { BrakeAudit } from './brake-audit.ts';
import type { Complaint, Deed, LogEntry } from './violation.ts';
import { DeedAudit } from './execution-audit.ts';
import { IncarnationAudit } from './incarnation-audit.ts';
import { LadderAudit } from './ladder-audit.ts';
import { NoticeAudit } from './notice-audit.ts';
import { Orders } from './orders.ts';
import { RecordAudit } from './record-audit.ts';
import { RecoveryAudit } from './recovery-audit.ts';
import { TruthBook } from './truth-log.ts';

export type AuditedKit = {
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
  readonly truth = new TruthBook();
  readonly complaints: Complaint[] = [];
  readonly records: RecordAudit;
  readonly deeds: DeedAudit;
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

  constructor(kitOf: (agentId: string) => AuditedKit | undefined) {
    const complain = this.complain.bind(this);
    this.records = new RecordAudit(complain);
    this.deeds = new DeedAudit(complain, this.truth, this.orders);
    this.brake = new BrakeAudit(complain, this.truth, this.orders, (agentId) => kitOf(agentId)?.group);
    this.ladder = new LadderAudit(complain);
    this.incarnations = new IncarnationAudit(complain);
    this.recovery = new RecoveryAudit(complain);
    this.notice = new NoticeAudit(complain, this.truth, (agentId) => this.ladder.isOpen(agentId), kitOf);
  }

  complain(invariant: number, agentId: string, at: number, what: string): void {
    if (this.complaints.length < KEPT_MAX) this.complaints.push({ invariant, agentId, at, what });
  }

  /** Deeds and lines of the log are judged in the order in which they happened, though the log is read later. */
  read(entry: LogEntry): void {
    this.judge(entry.cursor);
    this.seen.set(entry.event.type, (this.seen.get(entry.event.type) ?? 0) + 1);
    this.orders.read(entry);
    this.records.read(entry);
    this.deeds.read(entry);
    this.brake.read(entry);
    this.ladder.read(entry);
    this.incarnations.read(entry);
    this.recovery.read(entry);
    this.notice.read(entry);
  }

  begun(deed: Deed): void {
    if (deed.kind === 'terminate') this.terminatedAt.set(deed.agentId, deed.cursor);
    this.waiting.push({
      cursor: deed.cursor,
      judge: () => {
        this.deeds.begun(deed);
        this.brake.begun(deed);
      },
    });
  }

  /** A process was really killed; `isHers` says whether it was the one that was meant. It belongs to the order to kill. */
  killed(agentId: string, at: number, isHers: boolean): void {
    const cursor = this.terminatedAt.get(agentId) ?? 0;
    this.waiting.push({ cursor, judge: () => this.deeds.killed(agentId, at, isHers) });
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
