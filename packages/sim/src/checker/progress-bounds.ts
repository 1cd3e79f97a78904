import type { SimAgent } from '../agents/sim-agent.ts';
import type { Activity } from '../agents/truth.ts';
import { contract, pulseOf, TOLERANCE_MS } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import type { Gaps } from './gaps.ts';
import type { Observed } from './observed.ts';
import { LOOP_KINDS } from './repeats.ts';

/** Invariants 1 and 2 for progress: the earliest and the latest lawful moment at which an agent is called stuck. */
export class ProgressBounds {
  private readonly report: Report;
  private readonly gaps: Gaps;
  /** By slot, by Holter's clock. */
  private readonly reachableSince: number[] = [];

  constructor(report: Report, gaps: Gaps) {
    this.report = report;
    this.gaps = gaps;
  }

  truthChanged(agent: SimAgent, at: number): void {
    this.reachableSince[agent.slot] = agent.isReachable
      ? Math.min(this.reachableSince[agent.slot] ?? at, at)
      : Number.POSITIVE_INFINITY;
  }

  /** How long an agent may do nothing, with the time-out of its model on top. */
  private limitMs(agent: SimAgent, isOnProbation: boolean): number {
    const actMs = isOnProbation ? contract.silenceActInProbationMs : contract.silenceActMs;
    return actMs + (agent.profile.promises.calls?.modelTimeoutMs ?? 0);
  }

  /** Its time is not over, or it was in silence already when it would have been over. */
  private isSurelyOnProbation(agent: SimAgent, observed: Observed, at: number): boolean {
    if (at < observed.probationUntil) return true;
    const { intervalMs } = pulseOf(agent.profile);
    const silentBy = this.gaps.latest(observed.doneAt, contract.silenceWarnMs, intervalMs) + TOLERANCE_MS;
    return observed.isOnProbation && silentBy < observed.probationUntil;
  }

  conditionAt(agent: SimAgent, observed: Observed, at: number): number {
    const start = Math.max(observed.activeAt, agent.activitySince);
    const isOnProbation = this.isSurelyOnProbation(agent, observed, at);
    const limitMs = this.limitMs(agent, isOnProbation);
    return this.gaps.deadline(start, limitMs, pulseOf(agent.profile).intervalMs);
  }

  /** An `act` finding: not before its time, and not against the truth. */
  raised(agent: SimAgent, observed: Observed, kind: string, at: number): void {
    const what = this.whyTooEarly(agent, observed, kind, at);
    if (what !== null) this.report(kind === 'consecutive-failures' ? 11 : 1, agent.name, at, what);
  }

  private whyTooEarly(agent: SimAgent, observed: Observed, kind: string, at: number): string | null {
    switch (kind) {
      case 'silent':
      case 'work-unstarted':
        return this.whyNotSilent(agent, observed, at);
      case 'checkpoint-stale': {
        if (this.isKnownToBe(agent, at, 'held')) return 'called stuck (checkpoint) while on hold';
        const idleMs = at - observed.progressAt;
        return idleMs < contract.checkpointActMs - TOLERANCE_MS
          ? `called stuck (checkpoint) ${inSeconds(idleMs)} after progress`
          : null;
      }
      case 'consecutive-failures':
        return observed.failuresInRow <= contract.failuresInRowMax
          ? `called failing after ${observed.failuresInRow} failures in a row: one counted twice`
          : null;
      case 'task-overdue': {
        // Seed 001 §1.5.3: a task that is late is not a failed agent as long as it beats.
        const quietMs = at - observed.signBeforeAt;
        const { intervalMs, missed } = pulseOf(agent.profile);
        return quietMs < missed * intervalMs
          ? `called failed for a late task, though it was heard twice in ${inSeconds(quietMs)}`
          : null;
      }
      case 'limit-exceeded':
        // One that has died since may have been looked at before.
        return agent.behaviour.name !== 'spender' || agent.truth === 'fine'
          ? 'called over its limit, and is not'
          : null;
      case 'repeated-call':
      case 'unchanged-poll':
      case 'same-error':
        return observed.calls.isLooping(kind) ? null : `called looping (${kind}), but its calls are not`;
      case 'frozen': {
        const isAtWork = this.isKnownToBe(agent, at, 'thinking') || this.isKnownToBe(agent, at, 'in-tool');
        return agent.truth === 'fine' && isAtWork ? 'called frozen, but its process works' : null;
      }
      default:
        return null;
    }
  }

  private whyNotSilent(agent: SimAgent, observed: Observed, at: number): string | null {
    const { calls, pongs } = agent.profile.promises;
    // Beats tell when the last call was; pongs do not.
    if (calls === undefined && (pongs || this.isKnownToBe(agent, at, 'idle')))
      return 'called silent, though it promised no calls';
    for (const activity of ['held', 'in-tool'] as const)
      if (this.isKnownToBe(agent, at, activity)) return `called silent while ${activity}`;
    const quietMs = at - observed.activeAt;
    // The shorter limit of the probation may apply a moment longer than is known here.
    const mayBeOnProbation = observed.isOnProbation || at - 2_000 < observed.probationUntil;
    const limitMs = this.limitMs(agent, mayBeOnProbation);
    return quietMs < limitMs - TOLERANCE_MS
      ? `called silent after ${inSeconds(quietMs)} of ${inSeconds(limitMs)}`
      : null;
  }

  /** By the truth: it has been at it long enough for the news to arrive, and could be heard all the while. */
  private isKnownToBe(agent: SimAgent, at: number, activity: Activity): boolean {
    if (agent.activity !== activity || at - agent.activitySince <= contract.justNowMs) return false;
    // The end of a hold by a clock that is far off misleads Holter.
    const tellsTime = agent.clockErrorMs <= contract.justNowMs;
    return tellsTime && (this.reachableSince[agent.slot] ?? 0) <= agent.activitySince;
  }

  /** A call has begun and is still open: the end of every silence. */
  callBegan(agent: SimAgent, observed: Observed, at: number): void {
    if (agent.activity === 'in-tool' && observed.acts.has('silent'))
      this.report(1, agent.name, at, 'calls a tool and is still called silent');
  }

  /** A call has ended: what loops is called so at once, and what does not loop any more is not. */
  callEnded(agent: SimAgent, observed: Observed, at: number): void {
    for (const kind of LOOP_KINDS) {
      const isLooping = observed.calls.isLooping(kind);
      if (isLooping === observed.acts.has(kind)) continue;
      const what = isLooping
        ? `loops (${kind}, ${observed.calls.count} repeats) and is not called stuck`
        : `does something else now and is still called looping (${kind})`;
      this.report(isLooping ? 2 : 1, agent.name, at, what);
    }
    if (observed.calls.count > 0 && !observed.isCalledStuck)
      this.report(2, agent.name, at, 'loops and is not called stuck');
  }

  /** The latest moment for an agent that hangs with work in hand. Returns when to look again. */
  inspect(agent: SimAgent, observed: Observed, at: number): number {
    const isJudged =
      agent.activity === 'hung' &&
      agent.profile.promises.calls !== undefined &&
      agent.taskId !== null &&
      !observed.isEnded;
    if (!isJudged || !agent.isReachable) return Number.POSITIVE_INFINITY;
    const start = Math.max(observed.activeAt, agent.activitySince, this.reachableSince[agent.slot] ?? 0);
    const waitMs = this.limitMs(agent, this.isSurelyOnProbation(agent, observed, at));
    const latestFrom = (from: number): number =>
      this.gaps.latest(from, waitMs, pulseOf(agent.profile).intervalMs) + TOLERANCE_MS;
    // Its silence may have begun before it hung, on the other side of a gap that has its own grace.
    const latest = Math.max(latestFrom(start), latestFrom(observed.activeAt), latestFrom(observed.spentAt));
    if (at < latest) return latest;
    if (observed.acts.size === 0)
      this.report(2, agent.name, at, `has done nothing for ${inSeconds(at - start)} and is not called stuck`);
    return Number.POSITIVE_INFINITY;
  }
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
