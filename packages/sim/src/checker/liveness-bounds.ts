import { hasPulse } from '../agents/agent-profile.ts';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract, pulseOf, TOLERANCE_MS } from '../audit/contract.ts';
import type { Report } from '../audit/violation.ts';
import type { Gaps } from './gaps.ts';
import type { Observed } from './observed.ts';

/** Invariants 1 and 2 for signs of life: the earliest and the latest lawful moment of the verdict "unknown". */
export class LivenessBounds {
  private readonly report: Report;
  private readonly gaps: Gaps;

  private readonly deaths: () => readonly number[];

  constructor(report: Report, gaps: Gaps, deaths: () => readonly number[]) {
    this.report = report;
    this.gaps = gaps;
    this.deaths = deaths;
  }

  /** A server that dies may take the newest second of beats with it, counted from its last tick or from its end. */
  private isMaybeLost(sign: number): boolean {
    return this.deaths().some((lastTick) => Math.abs(sign - lastTick) <= contract.tickMs + TOLERANCE_MS);
  }

  /** The newest sign that was surely kept; two deaths may have taken one each. */
  private keptSign({ signAt, signBeforeAt, signBeforeThatAt }: Observed): number {
    if (!this.isMaybeLost(signAt)) return signAt;
    return this.isMaybeLost(signBeforeAt) ? signBeforeThatAt : signBeforeAt;
  }

  /** Whose silence counts: the agent's own, or for agents without beats also that of its executor. */
  private lastSign(agent: SimAgent, observed: Observed): number {
    return hasPulse(agent.profile) ? observed.signAt : Math.max(observed.signAt, observed.probedAt);
  }

  private graceMaxMs(agent: SimAgent): number {
    return hasPulse(agent.profile) ? pulseOf(agent.profile).intervalMs : contract.graceWithoutBeatsMs;
  }

  /** The moment from which the missed beats are too many; the monitor's own gaps move it. */
  conditionAt(agent: SimAgent, observed: Observed): number {
    const { intervalMs, missed, slackMs } = pulseOf(agent.profile);
    const busy = observed.mayBeBusy ? 2 : 1;
    const waitMs = busy * missed * intervalMs + slackMs;
    return this.gaps.deadline(this.lastSign(agent, observed), waitMs, this.graceMaxMs(agent));
  }

  becameUnknown(agent: SimAgent, observed: Observed, at: number): void {
    if (!hasPulse(agent.profile) && agent.profile.promises.process === undefined) {
      this.report(1, agent.name, at, 'called unknown, though it promised no sign of life');
      return;
    }
    this.checkSilence(agent, observed, at, 'called unknown');
  }

  /** An agent that is heard, with letters that it has not acknowledged, is busy. */
  calledUnresponsive(agent: SimAgent, observed: Observed, at: number): void {
    if (hasPulse(agent.profile)) this.checkSilence(agent, observed, at, 'accused of unread letters');
    else this.report(1, agent.name, at, 'accused of unread letters, though it promised no sign of life');
  }

  private checkSilence(agent: SimAgent, observed: Observed, at: number, accusation: string): void {
    const { intervalMs, missed, slackMs } = pulseOf(agent.profile);
    const waitMs = missed * intervalMs + slackMs;
    const from = this.lastSign(agent, observed);
    const before = this.gaps.earliest(this.keptSign(observed), waitMs, this.graceMaxMs(agent));
    const own = this.gaps.earliest(from, waitMs, this.graceMaxMs(agent));
    // Of several signs within the second that was lost, an earlier one may have been kept.
    const earliest = this.isMaybeLost(from) ? Math.min(own - contract.tickMs, before) : own;
    if (at >= earliest - TOLERANCE_MS) return;
    const quietS = Math.round((at - from) / 1000);
    this.report(
      1,
      agent.name,
      at,
      `${accusation} after ${quietS} s of silence, ${Math.round((earliest - at) / 1000)} s before its deadline`,
    );
  }

  becameGone(agent: SimAgent, { isGivenUp }: Observed, at: number): void {
    // A successor that has not registered yet is another process: the one that had the name is gone.
    if (agent.isRunning && agent.incarnation > 0 && !isGivenUp)
      this.report(1, agent.name, at, 'called gone, but its process runs');
  }

  /** The latest lawful moment of the verdict "unknown" on the present silence. */
  latestUnknown(agent: SimAgent, observed: Observed): number {
    const { intervalMs, missed, slackMs } = pulseOf(agent.profile);
    const busy = observed.mayBeBusy ? 2 : 1;
    const waitMs = busy * missed * intervalMs + slackMs;
    const sign = this.lastSign(agent, observed);
    const own = this.gaps.latest(sign, waitMs, this.graceMaxMs(agent));
    if (!this.isMaybeLost(sign)) return own;
    // The one before may lie on the other side of a gap, and have its grace.
    return Math.max(own, this.gaps.latest(this.keptSign(observed), waitMs, this.graceMaxMs(agent)));
  }

  /** Called when a deadline may have passed; says when to look again. */
  inspect(agent: SimAgent, observed: Observed, at: number): number {
    const { intervalMs, missed } = pulseOf(agent.profile);
    if (observed.isEnded || observed.liveness !== 'alive') return at + missed * intervalMs;
    const latest = this.latestUnknown(agent, observed) + TOLERANCE_MS;
    if (at < latest) return latest;
    const quietS = Math.round((at - this.lastSign(agent, observed)) / 1000);
    this.report(
      2,
      agent.name,
      at,
      `silent for ${quietS} s and still taken for alive (truth: ${agent.truth})`,
    );
    return at + missed * intervalMs;
  }

  /** May another process have this name? Only when the present one has surely missed a beat. */
  mayReplace(agent: SimAgent, observed: Observed, at: number): 'yes' | 'no' | 'either' {
    const { intervalMs, slackMs } = pulseOf(agent.profile);
    const sign = this.lastSign(agent, observed);
    const busy = observed.mayBeBusy ? pulseOf(agent.profile).missed * intervalMs : 0;
    const waitMs = intervalMs + slackMs;
    const grace = this.graceMaxMs(agent);
    const earliest = Math.min(
      this.gaps.earliest(sign, waitMs, grace),
      this.gaps.earliest(this.keptSign(observed), waitMs, grace),
    );
    const lostMs = this.isMaybeLost(sign) ? contract.tickMs : 0;
    if (at < earliest - lostMs - TOLERANCE_MS) return 'no';
    if (at > this.gaps.latest(sign, intervalMs + slackMs + busy, this.graceMaxMs(agent)) + TOLERANCE_MS)
      return 'yes';
    return 'either';
  }
}
