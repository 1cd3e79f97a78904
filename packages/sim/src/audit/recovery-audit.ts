import type { LivenessWord } from '@holter/core';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Orders } from './orders.ts';
import type { LogEntry, Report } from './violation.ts';

const HOUR_MS = 3_600_000;

type Attempts = { taskId: string; forTask: number; attempt: number; at: number[] };
type End = { liveness: LivenessWord; endedAt: number };

/** Invariant 8: so many recoveries per task and per hour, and a backoff before each, unless a person ordered it. */
export class RecoveryAudit {
  private readonly report: Report;
  private readonly orders: Orders;
  private readonly attempts = new Map<string, Attempts>();
  private readonly ends = new Map<string, End>();
  private readonly startedAt = new Map<string, number>();
  /** Agents whose open incident was told to have ended in a recovery. */
  private readonly completed = new Set<string>();

  constructor(report: Report, orders: Orders) {
    this.report = report;
    this.orders = orders;
  }

  read(entry: LogEntry): void {
    const { event, agentId } = entry;
    if (event.type === 'LIVENESS_CHANGED')
      this.ends.set(agentId, { liveness: event.payload.to, endedAt: event.at });
    if (event.type === 'AGENT_REGISTERED') {
      this.ends.delete(agentId);
      this.startedAt.set(agentId, event.at);
    }
    if (event.type === 'DECISION_MADE') this.attempts.delete(agentId);
    if (event.type === 'RECOVERY_INITIATED') this.initiated(entry, event.payload);
    if (event.type === 'RECOVERY_COMPLETED') this.completes(entry);
    if (event.type === 'INCIDENT_CLOSED') this.completed.delete(agentId);
    if (event.type === 'RECOVERY_FAILED' && this.completed.delete(agentId))
      this.report(8, agentId, entry.at, 'a recovery failed after it was told to have succeeded');
  }

  /** A success is told when the probation is passed, or when the successor has ended on purpose before that. */
  private completes({ event, at, agentId }: LogEntry): void {
    this.completed.add(agentId);
    const lastedMs = event.at - (this.startedAt.get(agentId) ?? event.at);
    const hasEnded = this.ends.get(agentId)?.liveness === 'gone';
    if (!hasEnded && lastedMs < contract.probationMs - TOLERANCE_MS)
      this.report(8, agentId, at, `a recovery succeeded after ${Math.round(lastedMs / 1_000)} s`);
  }

  private initiated(
    { event, at, agentId }: LogEntry,
    { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
  ): void {
    const attempts = this.attempts.get(agentId) ?? { taskId, forTask: 0, attempt: 0, at: [] };
    this.attempts.set(agentId, attempts);
    // A server that died between the decision and the start announces the same attempt again.
    if (attempts.taskId === taskId && attempts.attempt === attempt) return;
    attempts.attempt = attempt;
    if (attempts.taskId !== taskId) Object.assign(attempts, { taskId, forTask: 0 });
    attempts.forTask += 1;
    // An hour of the log's own clock, which may be set forward while the world's goes on.
    attempts.at = [...attempts.at.filter((before) => before > event.at - HOUR_MS), event.at];
    const { liveness, endedAt } = this.ends.get(agentId) ?? { liveness: 'alive', endedAt: 0 };
    if (liveness !== 'gone') this.report(6, agentId, at, `a successor is started while it is ${liveness}`);
    if (this.orders.has(agentId)) return;
    const { perTask, perHour, backoffMs } = contract.recovery;
    if (attempts.at.length > perHour)
      this.report(8, agentId, at, `recovery ${attempts.at.length} within an hour`);
    // Without a task the agent's own name stands there, and only the hour counts.
    if (taskId === agentId) return;
    if (attempts.forTask > perTask) this.report(8, agentId, at, `recovery ${attempts.forTask} for ${taskId}`);
    const waitMs = backoffMs[Math.min(attempts.forTask, backoffMs.length) - 1] as number;
    const waitedMs = event.at - endedAt;
    if (waitedMs < waitMs - TOLERANCE_MS) {
      const seconds = Math.round(waitedMs / 1_000);
      this.report(
        8,
        agentId,
        at,
        `recovery ${attempts.forTask} after ${seconds} s; the backoff is ${waitMs / 1_000} s`,
      );
    }
  }
}
