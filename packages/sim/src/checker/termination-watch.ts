import type { Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

const JUST_NOW_MS = 30_000;

/** Invariants 1 and 6 for the two acts that can't be taken back: stopping an agent and starting another. */
export class TerminationWatch {
  private readonly reporter: Reporter;
  wrongTerminations = 0;

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  wanted(agent: SimAgent, ledger: Ledger, effect: Effect, at: number): void {
    if (effect.kind !== 'terminate' || ledger.isOrdered) return;
    if (agent.profile.mode !== 'act')
      this.reporter.report(6, agent, at, `terminate wanted in mode ${agent.profile.mode}`);
    if (!agent.profile.can.includes('spawn'))
      this.reporter.report(6, agent, at, 'terminate wanted without a way to resume');
    const missing = this.whatIsMissing(ledger, at);
    if (missing !== null) this.reporter.report(6, agent, at, `terminate wanted: ${missing}`);
  }

  /** The executor was told to go ahead: this is the moment that counts. */
  proceeds(agent: SimAgent, ledger: Ledger, effect: Effect, at: number): void {
    // One that was launched and has not registered yet is known to its launcher, which refuses a second.
    if (effect.kind === 'spawn' && agent.isRunning && agent.incarnation > 0) {
      this.reporter.report(6, agent, at, 'a successor is started while the predecessor runs');
    }
    if (effect.kind !== 'terminate') return;
    if (effect.incarnation !== ledger.incarnation) {
      this.reporter.report(
        5,
        agent,
        at,
        `the order to stop incarnation ${effect.incarnation} hits ${ledger.incarnation}`,
      );
    }
    if (ledger.isOrdered) return;
    const missing = this.whatIsMissing(ledger, at);
    if (missing !== null) this.reporter.report(6, agent, at, `terminated without a re-check: ${missing}`);
    // What it did a moment ago may not have been heard yet; that is nobody's fault.
    if (agent.truth !== 'fine' || at - agent.truthSince < JUST_NOW_MS) return;
    this.wrongTerminations++;
    this.reporter.report(1, agent, at, `terminated, though it was fine (${agent.activity})`);
  }

  private whatIsMissing(ledger: Ledger, at: number): string | null {
    if (ledger.holds.size > 0) return `it is on hold (${[...ledger.holds.keys()].join(', ')})`;
    const repeats = ledger.calls.count;
    const further = repeats - ledger.repeatsAtNudge;
    // A call that is open on its way counts as much as one that has ended: it was heard at it.
    const isFresh = at - ledger.doingAt <= JUST_NOW_MS + TOLERANCE_MS;
    if (repeats > 0 && further >= contract.repeatsAfterNudge && isFresh) return null;
    const isFlat = ledger.flatSince > 0 && at - ledger.flatSince >= contract.flatMs - TOLERANCE_MS;
    const isStopped =
      ledger.stoppedSince > 0 && at - ledger.stoppedSince >= contract.stoppedMs - TOLERANCE_MS;
    if (!isFlat && !isStopped) return 'nothing but silence speaks for it';
    const isReported = ['silent', 'work-unstarted', 'checkpoint-stale', 'missed-heartbeats'].some((kind) =>
      ledger.acts.has(kind),
    );
    return isReported || repeats > 0 ? null : 'only the operating system speaks for it';
  }
}
