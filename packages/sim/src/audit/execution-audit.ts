import { contract } from './contract.ts';
import type { Orders } from './orders.ts';
import type { SpentHolds } from './spent-holds.ts';
import type { TruthLog } from './truth-log.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

/** How long a claim lasts; only then another server may carry the effect out. */
const LEASE_MS = 60_000;

/**
 * Invariants 1 and 4, by what was really done: an agent that works is not stopped without an order, nothing is done
 * before it is on record, and nothing is done twice at once.
 */
export class ExecutionAudit {
  wrongTerminations = 0;
  private readonly report: Report;
  private readonly truth: TruthLog;
  /** By effect: an effect may be carried out again after a crash. */
  private readonly executions = new Map<string, Execution[]>();
  /** By agent and kind: how many log entries decide such an execution, and which effects were executed. */
  private readonly decided = new Map<string, number>();
  private readonly begunIds = new Map<string, Set<string>>();
  private readonly orders: Orders;
  private readonly holds: SpentHolds;
  private readonly deathsOf = new Map<number, number>();

  constructor(report: Report, truth: TruthLog, orders: Orders, holds: SpentHolds) {
    this.report = report;
    this.truth = truth;
    this.orders = orders;
    this.holds = holds;
  }

  read({ event, agentId }: LogEntry): void {
    const kind = executionDecidedBy(event);
    if (kind === null) return;
    const key = `${agentId} ${kind}`;
    this.decided.set(key, (this.decided.get(key) ?? 0) + 1);
  }

  begun(execution: Execution): void {
    const earlier = this.executions.get(execution.effectId) ?? [];
    this.executions.set(execution.effectId, [...earlier, execution]);
    this.checkRepeat(execution, earlier);
    if (!RECORDED.has(execution.kind)) return;
    const key = `${execution.agentId} ${execution.kind}`;
    const ids = (this.begunIds.get(key) ?? new Set<string>()).add(execution.effectId);
    this.begunIds.set(key, ids);
    if (ids.size > (this.decided.get(key) ?? 0))
      this.report(
        4,
        execution.agentId,
        execution.from,
        `${execution.effectId} was done before it was on record`,
      );
  }

  /** A process of the agent was really killed; `isTarget` is false when the signal hit another process. */
  killed(agentId: string, at: number, isTarget: boolean): void {
    if (!isTarget) {
      this.report(1, agentId, at, 'the kill hit a stranger that has its pid now');
      return;
    }
    const now = this.truth.at(agentId, at);
    if (now?.truth !== 'fine' || at - now.since <= contract.justNowMs) return;
    if (this.orders.has(agentId) || this.holds.isSpent(agentId, at)) return;
    this.wrongTerminations += 1;
    this.report(1, agentId, at, 'it worked, and was killed');
  }

  serverDied(server: number, at: number): void {
    this.deathsOf.set(server, at);
  }

  private checkRepeat(execution: Execution, earlier: readonly Execution[]): void {
    for (const other of earlier) {
      const isAbandoned = (this.deathsOf.get(other.by) ?? Number.POSITIVE_INFINITY) <= execution.from;
      const isUnderWay = Number.isNaN(other.to) && !isAbandoned;
      if (isUnderWay && execution.from - other.from < LEASE_MS)
        this.report(4, execution.agentId, execution.from, `${execution.effectId} is done twice at once`);
    }
  }
}

/** Deeds that have a line of their own in the log; notices and inquiries have none. */
const RECORDED: ReadonlySet<string> = new Set(['nudge', 'terminate', 'spawn']);

function executionDecidedBy(event: LogEntry['event']): string | null {
  switch (event.type) {
    case 'RECOVERY_INITIATED':
      return 'spawn';
    case 'INCIDENT_OPENED':
    case 'INCIDENT_REOPENED':
    case 'INCIDENT_STEP':
      return event.payload.step === 'terminate' || event.payload.step === 'nudge' ? event.payload.step : null;
    default:
      return null;
  }
}
