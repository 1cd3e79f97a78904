import type { SimAgent } from '../agents/sim-agent.ts';
import { contract, pulseOf, TOLERANCE_MS } from './contract.ts';
import type { Gaps } from './gaps.ts';
import type { Ledger } from './ledger.ts';
import { LOOP_KINDS } from './repeats.ts';
import type { Reporter } from './violation.ts';

/** Invariants 1 and 2 for progress: who may be called stuck, and who must be. */
export class ProgressWatch {
  private readonly reporter: Reporter;
  private readonly gaps: Gaps;

  constructor(reporter: Reporter, gaps: Gaps) {
    this.reporter = reporter;
    this.gaps = gaps;
  }

  /** Quiet for so long, the model's own time-out on top, is too long. */
  private limitMs(agent: SimAgent, ledger: Ledger, at: number): number {
    const isProbation = at < ledger.probationUntil;
    const actMs = isProbation ? contract.silenceActInProbationMs : contract.silenceActMs;
    return actMs + (agent.profile.promises.calls?.modelTimeoutMs ?? 0);
  }

  conditionAt(agent: SimAgent, ledger: Ledger, at: number): number {
    const waitMs = this.limitMs(agent, ledger, at) + ledger.heldSinceDoingMs(at);
    return this.gaps.deadline(ledger.doingAt, waitMs, pulseOf(agent.profile).intervalMs);
  }

  /** An `act` finding of the core's own rules: its condition must hold in the ledger too. */
  raised(agent: SimAgent, ledger: Ledger, kind: string, at: number): void {
    switch (kind) {
      case 'silent':
      case 'work-unstarted':
        return this.raisedSilent(agent, ledger, at);
      case 'checkpoint-stale': {
        if (ledger.isHeldOutsideTools)
          this.reporter.report(1, agent, at, 'called stuck (checkpoint) while on hold');
        const idleMs = at - ledger.progressAt;
        if (idleMs < contract.checkpointActMs - TOLERANCE_MS) {
          this.reporter.report(
            1,
            agent,
            at,
            `called stuck (checkpoint) ${Math.round(idleMs / 1000)} s after progress`,
          );
        }
        return;
      }
      case 'consecutive-failures':
        if (ledger.failuresInRow <= contract.failuresInRowMax) {
          this.reporter.report(
            11,
            agent,
            at,
            `called failing after ${ledger.failuresInRow} failures in a row: one counted twice`,
          );
        }
        return;
      case 'limit-exceeded':
        // Whoever has died since may have been looked at before.
        if (agent.behaviour.name !== 'spender' || agent.truth === 'fine')
          this.reporter.report(1, agent, at, 'called over its limit, and is not');
        return;
      case 'repeated-call':
      case 'unchanged-poll':
      case 'same-error':
        if (!ledger.calls.isLooping(kind))
          this.reporter.report(1, agent, at, `called looping (${kind}), but its calls are not`);
        return;
      case 'frozen': {
        const isStopped =
          ledger.stoppedSince > 0 && at - ledger.stoppedSince >= contract.stoppedMs - TOLERANCE_MS;
        const isFlat = ledger.flatSince > 0 && at - ledger.flatSince >= contract.flatMs - TOLERANCE_MS;
        if (!isStopped && !isFlat) this.reporter.report(1, agent, at, 'called frozen, but its process works');
        return;
      }
      default:
        return;
    }
  }

  private raisedSilent(agent: SimAgent, ledger: Ledger, at: number): void {
    if (agent.profile.promises.calls === undefined) {
      this.reporter.report(1, agent, at, 'called silent, though it promised no calls');
      return;
    }
    // A hold that named its end is over then, whether anybody was heard since or not.
    ledger.endExpired(at);
    if (ledger.holds.size > 0) {
      this.reporter.report(
        1,
        agent,
        at,
        `called silent while on hold (${[...ledger.holds.keys()].join(', ')})`,
      );
      return;
    }
    const quietMs = ledger.quietMs(at);
    // In probation the shorter limit may apply a moment longer than the ledger knows.
    const limitMs = Math.min(this.limitMs(agent, ledger, at), this.limitMs(agent, ledger, at - 2_000));
    if (quietMs < limitMs - TOLERANCE_MS) {
      this.reporter.report(
        1,
        agent,
        at,
        `called silent after ${Math.round(quietMs / 1000)} s of ${Math.round(limitMs / 1000)} s`,
      );
    }
  }

  /** A call has begun, if it is news: that is the end of every silence. */
  calls(agent: SimAgent, ledger: Ledger, at: number): void {
    if (ledger.doingAt === at && ledger.acts.has('silent'))
      this.reporter.report(1, agent, at, 'calls a tool and is still called silent');
  }

  /** A call has ended: what loops is called so at once, and what does not loop any more is not. */
  called(agent: SimAgent, ledger: Ledger, at: number): void {
    for (const kind of LOOP_KINDS) {
      const isLooping = ledger.calls.isLooping(kind);
      if (isLooping === ledger.acts.has(kind)) continue;
      const what = isLooping
        ? `loops (${kind}, ${ledger.calls.count} repeats) and is not called stuck`
        : `does something else now and is still called looping (${kind})`;
      this.reporter.report(isLooping ? 2 : 1, agent, at, what);
    }
    if (ledger.calls.count > 0 && ledger.health !== 'STUCK' && ledger.health !== 'FAILING')
      this.reporter.report(2, agent, at, `loops and is called ${ledger.health}`);
  }

  /** An agent that hangs with work in hand: called stuck in time? Says when to look again. */
  inspect(agent: SimAgent, ledger: Ledger, at: number): number {
    const isJudged =
      agent.activity === 'hung' && agent.isReachable && agent.profile.promises.calls !== undefined;
    if (!isJudged || ledger.taskId === null || ledger.holds.size > 0 || ledger.isEnded)
      return Number.POSITIVE_INFINITY;
    const waitMs = this.limitMs(agent, ledger, at) + ledger.heldSinceDoingMs(at);
    const latest = this.gaps.latest(ledger.doingAt, waitMs, pulseOf(agent.profile).intervalMs) + TOLERANCE_MS;
    if (at < latest) return latest;
    if (ledger.acts.size === 0) {
      this.reporter.report(
        2,
        agent,
        at,
        `has done nothing for ${Math.round(ledger.quietMs(at) / 1000)} s and is not called stuck`,
      );
    }
    return Number.POSITIVE_INFINITY;
  }
}
