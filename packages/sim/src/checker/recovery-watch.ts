import type { Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

const HOUR_MS = 3_600_000;

/** Invariant 8: so often per task, so often per hour, and with so much patience in between. */
export class RecoveryWatch {
  private readonly reporter: Reporter;

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  wanted(agent: SimAgent, ledger: Ledger, effect: Effect, at: number): void {
    if (effect.kind !== 'spawn') return;
    if (ledger.liveness !== 'gone')
      this.reporter.report(6, agent, at, `a successor is wanted while the agent is ${ledger.liveness}`);
    ledger.spawnKey = effect.key;
    if (ledger.spawnTask !== effect.taskId) {
      ledger.spawnTask = effect.taskId;
      ledger.spawnsForTask = 0;
    }
    ledger.spawnedAt = ledger.spawnedAt.filter((spawnedAt) => spawnedAt > at - HOUR_MS);
    ledger.spawnedAt.push(at);
    ledger.spawnsForTask++;
    // A person who has looked may do what Holter may not, and the count starts anew.
    if (ledger.isOrdered) {
      ledger.spawnsForTask = 1;
      ledger.spawnedAt = [at];
      return;
    }
    const { perTask, perHour, backoffMs } = contract.recovery;
    if (effect.taskId !== null && ledger.spawnsForTask > perTask) {
      this.reporter.report(
        8,
        agent,
        at,
        `recovery ${ledger.spawnsForTask} for one task; ${perTask} are allowed`,
      );
    }
    if (ledger.spawnedAt.length > perHour) {
      this.reporter.report(
        8,
        agent,
        at,
        `recovery ${ledger.spawnedAt.length} within an hour; ${perHour} are allowed`,
      );
    }
    const waitMs = backoffMs[Math.min(ledger.spawnsForTask, backoffMs.length) - 1] as number;
    if (effect.taskId !== null && at - ledger.endedAt < waitMs - TOLERANCE_MS) {
      this.reporter.report(
        8,
        agent,
        at,
        `recovery ${ledger.spawnsForTask} after ${Math.round((at - ledger.endedAt) / 1000)} s; the backoff is ${waitMs / 1000} s`,
      );
    }
  }
}
