import type { Effect } from '@holter/core';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Orders } from './orders.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;

type Group = {
  readonly name: string;
  readonly members: Set<string>;
  /** When each agent was last lost, by the log's own clock. */
  readonly losses: Map<string, number>;
  /** When a crowd was lost, and until when single acts are held back for it; by the log's own clock. */
  crowdAt: number;
  engagedUntil: number;
  alertedAt: number;
  /** In the world's time, from the alert until its end. */
  brakedAt: number | null;
};

type BrakeContext = {
  readonly orders: Orders;
  readonly groupOf: (agentId: string) => string | undefined;
  /** Its incident has come to termination: its end is no loss. */
  readonly isBeingStopped: (agentId: string) => boolean;
};

/**
 * Invariant 7: when many of a group are lost together, one alert goes out and single agents are left alone. The losses
 * are counted a second time, from the log.
 */
export class BrakeAudit {
  private readonly report: Report;
  private readonly context: BrakeContext;
  private readonly groups = new Map<string, Group>();
  /** Groups whose crowd was lost at the moment of the log that is being read. */
  private readonly engaging = new Set<Group>();

  constructor(report: Report, context: BrakeContext) {
    this.report = report;
    this.context = context;
  }

  read({ event, at, agentId }: LogEntry): void {
    this.settle(event.at, at);
    switch (event.type) {
      case 'AGENT_REGISTERED':
        this.find(event.payload.group).members.add(agentId);
        return;
      case 'HEALTH_STATE_CHANGED':
        if (event.payload.to === 'TERMINATED') this.groupOf(agentId).members.delete(agentId);
        return;
      case 'LIVENESS_CHANGED': {
        const { to, cause } = event.payload;
        const isLoss =
          to === 'unknown' ||
          (to === 'gone' && cause === 'process-crash' && !this.context.isBeingStopped(agentId));
        if (isLoss) this.lost(this.groupOf(agentId), agentId, event.at);
        return;
      }
      case 'MASS_FAILURE': {
        const group = this.find(event.payload.group);
        if (group.brakedAt !== null) this.report(7, group.name, at, 'a second alert for one mass failure');
        group.brakedAt = at;
        group.alertedAt = event.at;
        return;
      }
      case 'MASS_FAILURE_OVER':
        this.find(event.payload.group).brakedAt = null;
        return;
      default:
        return;
    }
  }

  /** Whatever is written at one moment belongs together: only then the alert is missing. */
  settle(loggedAt: number, at: number): void {
    for (const group of this.engaging) {
      if (loggedAt <= group.crowdAt) continue;
      this.engaging.delete(group);
      const { name, losses, members, crowdAt, alertedAt } = group;
      if (alertedAt < crowdAt - contract.brake.alertedMs)
        this.report(7, name, at, `${losses.size} of ${members.size} lost at once, and no alert`);
    }
  }

  private lost(group: Group, agentId: string, loggedAt: number): void {
    const { lossesMin, share, withinMs, calmMs } = contract.brake;
    for (const [other, lostAt] of group.losses) if (lostAt <= loggedAt - withinMs) group.losses.delete(other);
    group.losses.set(agentId, loggedAt);
    const isCrowd = group.losses.size > lossesMin && group.losses.size > share * group.members.size;
    if (!isCrowd) return;
    if (loggedAt >= group.engagedUntil) {
      group.crowdAt = loggedAt;
      this.engaging.add(group);
    }
    group.engagedUntil = loggedAt + calmMs;
  }

  /** The transition that engages the brake may still have had its own effect. */
  ordered(effect: Effect, at: number, loggedAt: number): void {
    const { kind, agentId } = effect;
    const isSingle = kind === 'terminate' || (kind === 'notify' && effect.incidentId !== null);
    if (!isSingle || this.context.orders.has(agentId)) return;
    const group = this.groupOf(agentId);
    if (group.crowdAt === loggedAt || loggedAt + TOLERANCE_MS >= group.engagedUntil) return;
    const { losses, members } = group;
    this.report(
      7,
      agentId,
      at,
      `${kind} for one agent while its group is lost (${losses.size} of ${members.size})`,
    );
  }

  begun({ kind, agentId, from }: Execution): void {
    if (kind !== 'terminate' || this.context.orders.has(agentId)) return;
    const { name, brakedAt } = this.groupOf(agentId);
    // What was under way when the brake was engaged may end.
    if (brakedAt !== null && from - brakedAt > MINUTE_MS)
      this.report(7, agentId, from, `terminated while ${name} is braked`);
  }

  private groupOf(agentId: string): Group {
    return this.find(this.context.groupOf(agentId) ?? '');
  }

  private find(name: string): Group {
    const known = this.groups.get(name);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const fresh: Group = {
      name,
      members: new Set(),
      losses: new Map(),
      crowdAt: never,
      engagedUntil: never,
      alertedAt: never,
      brakedAt: null,
    };
    this.groups.set(name, fresh);
    return fresh;
  }
}
