import type { HealthState } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract } from './contract.ts';
import type { Gaps } from './gaps.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

const BAD: ReadonlySet<HealthState> = new Set<HealthState>(['STUCK', 'FAILING', 'TERMINATED']);

/** Invariant 9: what Holter says of an agent and what is true of it meet, once nothing stands between them. */
export class TruthWatch {
  private readonly reporter: Reporter;
  private readonly gaps: Gaps;
  private readonly reachableSince: number[] = [];

  constructor(reporter: Reporter, gaps: Gaps) {
    this.reporter = reporter;
    this.gaps = gaps;
  }

  changed(agent: SimAgent, at: number): void {
    this.reachableSince[agent.slot] = at;
  }

  inspect(agent: SimAgent, ledger: Ledger, at: number): void {
    if (!agent.isReachable) return;
    const since = Math.max(
      agent.truthSince,
      this.reachableSince[agent.slot] ?? 0,
      this.gaps.lastEnd,
      ledger.startedAt,
    );
    if (at - since < contract.healMs || at - ledger.healthAt < contract.healMs) return;
    switch (agent.truth) {
      case 'fine':
        return this.inspectFine(agent, ledger, at);
      case 'dead':
        // Nobody can tell a silent agent without a witness from a dead one: unknown is the truth then.
        if (ledger.health !== 'FAILING' && ledger.health !== 'TERMINATED') {
          this.reporter.report(9, agent, at, `dead since ${ago(at, since)} and called ${ledger.health}`);
        }
        return;
      case 'stuck':
        // A call that was begun and never ended is a tool that runs, for all that anybody can know.
        if (ledger.health === 'HEALTHY' && ledger.holds.size === 0)
          this.reporter.report(9, agent, at, `stuck since ${ago(at, since)} and called HEALTHY`);
        return;
      case 'ended':
        if (ledger.health !== 'TERMINATED')
          this.reporter.report(9, agent, at, `ended ${ago(at, since)} ago and called ${ledger.health}`);
        return;
    }
  }

  /** A thinker may be late in earnest; only who has really moved since must be well again. */
  private inspectFine(agent: SimAgent, ledger: Ledger, at: number): void {
    if (agent.activity === 'starting') return;
    const isAtWork = at - ledger.resumedAt > contract.restMs && ledger.doingAt > at - contract.healMs / 4;
    const hasMoved = isAtWork || (ledger.taskId === null && ledger.doingAt < at - contract.restMs);
    // A tripped breaker makes FAILING for as long as its break lasts, which after many trips is an hour.
    const isBrokenOff = ledger.acts.has('breaker-open') || at - ledger.breakOverAt < contract.healMs;
    // Whoever reports a fourth failure and then has nothing to do has not shown that the fifth call would work.
    const saysItFails = ledger.failuresInRow > contract.failuresInRowMax;
    if (hasMoved && !isBrokenOff && !saysItFails && BAD.has(ledger.health))
      this.reporter.report(9, agent, at, `fine for ${ago(at, since(agent, at))} and called ${ledger.health}`);
    if (ledger.liveness !== 'alive')
      this.reporter.report(9, agent, at, `heard all the time and called ${ledger.liveness}`);
  }
}

const since = (agent: SimAgent, at: number): number => Math.min(agent.truthSince, at);
const ago = (at: number, then: number): string => `${Math.round((at - then) / 60_000)} min`;
