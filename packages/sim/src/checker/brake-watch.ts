import type { Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

type Group = {
  size: number;
  readonly losses: Map<number, number>;
  engagedAt: number;
  /** While a crowd is being lost, and for the calm after it. */
  engagedUntil: number;
  alertedAt: number;
};

/** Invariant 7: when many of a group are lost together, single agents are left alone and one alert goes out. */
export class BrakeWatch {
  private readonly reporter: Reporter;
  private readonly groups = new Map<string, Group>();

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  private of(name: string): Group {
    let group = this.groups.get(name);
    if (group === undefined) {
      group = {
        size: 0,
        losses: new Map(),
        engagedAt: Number.NEGATIVE_INFINITY,
        engagedUntil: Number.NEGATIVE_INFINITY,
        alertedAt: Number.NEGATIVE_INFINITY,
      };
      this.groups.set(name, group);
    }
    return group;
  }

  counts(agent: SimAgent, difference: number): void {
    this.of(agent.group).size += difference;
  }

  alerted(name: string, at: number): void {
    this.of(name).alertedAt = at;
  }

  lost(agent: SimAgent, at: number): void {
    const group = this.of(agent.group);
    for (const [slot, lostAt] of group.losses)
      if (lostAt <= at - contract.brake.withinMs) group.losses.delete(slot);
    group.losses.set(agent.slot, at);
    const isEngaged = at < group.engagedUntil;
    const { lossesMin, share, calmMs } = contract.brake;
    const isMass = group.losses.size > lossesMin && group.losses.size > share * group.size;
    if (!isMass && !isEngaged) return;
    if (!isEngaged) group.engagedAt = at;
    // A single loss in a group that is calming down is ordinary; only a crowd keeps the brake on.
    if (isMass) group.engagedUntil = at + calmMs;
  }

  /** After each turn: who engaged the brake must have raised the one alert, now or as the losses began. */
  settle(agent: SimAgent, at: number): void {
    const group = this.groups.get(agent.group);
    if (group === undefined || group.engagedAt !== at || group.alertedAt >= at - contract.brake.alertedMs)
      return;
    this.reporter.report(7, agent, at, `${group.losses.size} of ${group.size} lost at once, and no alert`);
  }

  /** Calm again, what was held back must go on: an agent that waits to be brought back is, sooner or later. */
  inspect(agent: SimAgent, ledger: Ledger, at: number, lookedFrom: number): void {
    const group = this.groups.get(agent.group);
    if (group === undefined || ledger.incident?.step !== 'recover' || ledger.liveness !== 'gone') return;
    const since = Math.max(
      ledger.endedAt,
      ledger.spawnedAt.at(-1) ?? 0,
      group.engagedUntil,
      group.alertedAt + contract.brake.calmMs,
      lookedFrom,
    );
    if (at - since <= contract.brake.releasedMs) return;
    const minutes = Math.round((at - since) / 60_000);
    this.reporter.report(7, agent, at, `held back for ${minutes} min, though its group is calm`);
  }

  wanted(agent: SimAgent, effect: Effect, isOrdered: boolean, at: number): void {
    const isSingle = effect.kind === 'terminate' || (effect.kind === 'notify' && effect.incidentId !== null);
    if (!isSingle || isOrdered) return;
    const group = this.of(agent.group);
    // The turn that engages the brake may still have had its own say.
    if (group.engagedAt === at || at + TOLERANCE_MS >= group.engagedUntil) return;
    this.reporter.report(
      7,
      agent,
      at,
      `${effect.kind} for one agent while its group is lost (${group.losses.size} of ${group.size})`,
    );
  }
}
