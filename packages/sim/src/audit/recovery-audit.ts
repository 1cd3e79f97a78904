import type { LogEntry, Report } from './violation.ts';

const HOUR_MS = 3_600_000;
/** Written down a second time and on purpose, as everything that an audit expects. */
const PER_HOUR = 5;
const PER_TASK = 3;

type Attempts = { taskId: string; forTask: number; attempt: number; at: number[] };

/** Invariant 8, by the log: so many recoveries per task and per hour, unless a person said so. */
export class RecoveryAudit {
  private readonly report: Report;
  private readonly attempts = new Map<string, Attempts>();

  constructor(report: Report) {
    this.report = report;
  }

  read({ event, at, agentId }: LogEntry): void {
    if (event.type === 'DECISION_MADE') this.attempts.delete(agentId);
    if (event.type !== 'RECOVERY_INITIATED') return;
    const { taskId, attempt } = event.payload;
    const attempts = this.attempts.get(agentId) ?? { taskId, forTask: 0, attempt: 0, at: [] };
    this.attempts.set(agentId, attempts);
    // A server that died between the decision and the start announces the same attempt again.
    if (attempts.taskId === taskId && attempts.attempt === attempt) return;
    attempts.attempt = attempt;
    if (attempts.taskId !== taskId) Object.assign(attempts, { taskId, forTask: 0 });
    attempts.forTask += 1;
    // An hour of the log's own clock: it may be set forward while the world's goes on.
    attempts.at = [...attempts.at.filter((before) => before > event.at - HOUR_MS), event.at];
    // Without a task the agent's own name stands there, and what it owes is counted by the hour.
    if (taskId !== agentId && attempts.forTask > PER_TASK)
      this.report(8, agentId, at, `recovery ${attempts.forTask} for ${taskId}`);
    if (attempts.at.length > PER_HOUR)
      this.report(8, agentId, at, `recovery ${attempts.at.length} within an hour`);
  }
}
