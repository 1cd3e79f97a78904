import { contract } from './contract.ts';
import type { TruthLog } from './truth-log.ts';
import type { LogEntry, Report } from './violation.ts';

/** Its behaviour loops, and says all the time that it waits. */
const isHoldRenewer = (agentId: string): boolean => agentId.startsWith('hold-renewer-');
const isCheckpointFaker = (agentId: string): boolean => agentId.startsWith('checkpoint-faker-');

type Saved = { readonly taskId: string | null; readonly at: number };

/**
 * Invariant 12, by the log and the truth: an agent that runs is not called ended because it says so, its holds do not
 * stop the ladder, and checkpoints that do not exist hide none that do. That no name was taken over is checked where
 * agents register.
 */
export class AuthorityAudit {
  private readonly report: Report;
  private readonly truth: TruthLog;
  private readonly profileOf: (agentId: string) => { readonly isWatched: boolean } | undefined;
  /** Since when the nudge of an agent's incident waits. */
  private readonly nudgedAt = new Map<string, number>();
  private readonly saved = new Map<string, Saved>();

  constructor(report: Report, truth: TruthLog, profileOf: AuthorityAudit['profileOf']) {
    this.report = report;
    this.truth = truth;
    this.profileOf = profileOf;
  }

  read(entry: LogEntry): void {
    const { event, agentId, at } = entry;
    switch (event.type) {
      case 'AGENT_ENDED':
        this.nudgedAt.delete(agentId);
        if (event.payload.how === 'stopped') this.checkEnd(agentId, at);
        return;
      case 'INCIDENT_OPENED':
      case 'INCIDENT_REOPENED':
      case 'INCIDENT_STEP':
        if (event.payload.step === 'nudge' && isHoldRenewer(agentId)) this.nudgedAt.set(agentId, at);
        else this.nudgedAt.delete(agentId);
        return;
      case 'INCIDENT_CLOSED':
      case 'FINDING_CLEARED':
      case 'QUIET_BEGAN':
      case 'DECISION_MADE':
        this.nudgedAt.delete(agentId);
        return;
      case 'RECOVERY_INITIATED':
        if (event.payload.fromCheckpoint === 'task-start') this.checkStart(agentId, event.payload.taskId, at);
        return;
      default:
        return;
    }
  }

  /** A checkpoint that can be read is in the store. */
  wrote(agentId: string, taskId: string | null, at: number): void {
    this.saved.set(agentId, { taskId, at });
  }

  /** What was written since then is gone, with the copy of the store that it was written to. */
  lostSince(from: number): void {
    for (const [agentId, { at }] of this.saved) if (at >= from) this.saved.delete(agentId);
  }

  look(at: number): void {
    for (const [agentId, since] of this.nudgedAt) {
      if (this.truth.watchedMs(agentId, since, at) <= contract.ownDelayMs) continue;
      this.nudgedAt.delete(agentId);
      this.report(12, agentId, at, 'its own holds stop the ladder');
    }
  }

  private checkEnd(agentId: string, at: number): void {
    const now = this.truth.at(agentId, at);
    if (!this.profileOf(agentId)?.isWatched) return;
    const isRunning = now?.truth === 'fine' || now?.truth === 'stuck';
    if (isRunning && at - now.since > contract.justNowMs)
      this.report(12, agentId, at, 'it runs, and its own report ended its supervision');
  }

  private checkStart(agentId: string, taskId: string, at: number): void {
    const saved = this.saved.get(agentId);
    if (!isCheckpointFaker(agentId) || saved?.taskId !== taskId) return;
    if (at - saved.at <= contract.savedMs)
      this.report(12, agentId, at, 'a checkpoint that does not exist hid those that do');
  }
}
