import type { Effect } from '@holter/core';
import { contract, TOLERANCE_MS } from './contract.ts';
import type { Orders } from './orders.ts';
import type { Execution, LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;
/** The end of a brake is written when somebody asks next; this much may add up over several of them. */
const TOLD_LATE_MS = 10 * MINUTE_MS;
/** A fleet that is watched logs more often than this. */
const GAP_MS = 2 * MINUTE_MS;
/** Five missed beats, twice as many for an agent that is busy, and one for the grace. */
const DEADLINES_MAX = 11;

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
  /** By the log's own clock: for how long the brake was engaged, less what it may be engaged again for. */
  spentMs: number;
  spentAt: number;
  /** The brake was engaged for as long as it may: until then it need not engage again. */
  exemptUntil: number;
};

type BrakeContext = {
  readonly orders: Orders;
  readonly groupOf: (agentId: string) => string | undefined;
  readonly intervalOf: (agentId: string) => number | undefined;
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
  /** How long each agent had been alive without a gap, by the time in which something was logged. */
  private readonly aliveSince = new Map<string, number>();
  /** The log's own clock without its gaps, in which the monitor may have been away and nobody was heard. */
  private loggedMs = 0;
  private loggedAt = Number.NaN;
  /** Who has kept its promises once counts from then on. */
  private readonly kept = new Set<string>();
  /** Groups whose crowd was lost at the moment of the log that is being read. */
  private readonly engaging = new Set<Group>();

  constructor(report: Report, context: BrakeContext) {
    this.report = report;
    this.context = context;
  }

  read({ event, at, agentId }: LogEntry): void {
    this.settle(event.at, at);
    this.clock(event.at);
    switch (event.type) {
      case 'AGENT_REGISTERED':
        this.find(event.payload.group).members.add(agentId);
        this.aliveSince.set(agentId, this.loggedMs);
        return;
      case 'HEALTH_STATE_CHANGED':
        if (event.payload.to === 'TERMINATED') this.groupOf(agentId).members.delete(agentId);
        return;
      case 'LIVENESS_CHANGED': {
        const { to, cause } = event.payload;
        if (to === 'alive') this.aliveSince.set(agentId, this.loggedMs);
        const isLoss =
          (to === 'unknown' && this.hasKept(agentId)) ||
          (to === 'gone' && cause === 'process-crash' && !this.context.isBeingStopped(agentId));
        // Who is not heard keeps no promise.
        if (to !== 'alive') this.aliveSince.delete(agentId);
        if (isLoss) this.lost(this.groupOf(agentId), agentId, event.at, at);
        return;
      }
      case 'MASS_FAILURE': {
        const group = this.find(event.payload.group);
        if (group.brakedAt !== null) this.report(7, group.name, at, 'a second alert for one mass failure');
        group.brakedAt = at;
        group.alertedAt = event.at;
        return;
      }
      case 'MASS_FAILURE_OVER': {
        const group = this.find(event.payload.group);
        group.brakedAt = null;
        this.released(group, event.at, at);
        const { calmMs, engagedShare } = contract.brake;
        if (event.payload.isSpent) {
          group.exemptUntil = event.at + calmMs / engagedShare;
          group.engagedUntil = event.at;
        }
        return;
      }
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

  private clock(loggedAt: number): void {
    const passedMs = loggedAt - this.loggedAt;
    if (passedMs > 0 && passedMs < GAP_MS) this.loggedMs += passedMs;
    this.loggedAt = loggedAt;
  }

  /** Certainly heard for long enough: the last sign of life lies a whole deadline and its grace before the loss. */
  hasKept(agentId: string): boolean {
    if (this.kept.has(agentId)) return true;
    const intervalMs = this.context.intervalOf(agentId) ?? Number.POSITIVE_INFINITY;
    const silenceMs = DEADLINES_MAX * intervalMs + contract.graceWithoutBeatsMs;
    const keptMs = Math.max(contract.brake.keptMs, intervalMs);
    const aliveMs = this.loggedMs - (this.aliveSince.get(agentId) ?? this.loggedMs);
    if (aliveMs > silenceMs + keptMs) this.kept.add(agentId);
    return this.kept.has(agentId);
  }

  /** Invariant 12: no group stays braked for longer than stated, whatever is lost. */
  private engagedFor(group: Group, until: number, at: number): number {
    const { engagedMsMax, engagedShare } = contract.brake;
    const before = Math.max(0, group.spentMs - (group.alertedAt - group.spentAt) * engagedShare);
    // What may be spent again grows all the time, also while the brake is engaged.
    const spentMs = before + (until - group.alertedAt) * (1 - engagedShare);
    if (spentMs > engagedMsMax + TOLD_LATE_MS)
      this.report(12, group.name, at, `braked for ${Math.round(spentMs / MINUTE_MS)} min in all`);
    return spentMs;
  }

  private released(group: Group, loggedAt: number, at: number): void {
    // The end is written when somebody asks; the brake itself ended with the calm at the latest.
    const calmAt = Math.max(group.engagedUntil, group.alertedAt + contract.brake.calmMs);
    const until = Math.min(loggedAt, calmAt);
    group.spentMs = this.engagedFor(group, until, at);
    group.spentAt = until;
  }

  private lost(group: Group, agentId: string, loggedAt: number, at: number): void {
    const { lossesMin, share, withinMs, calmMs } = contract.brake;
    for (const [other, lostAt] of group.losses) if (lostAt <= loggedAt - withinMs) group.losses.delete(other);
    group.losses.set(agentId, loggedAt);
    const isCrowd = group.losses.size > lossesMin && group.losses.size > share * group.members.size;
    if (!isCrowd) return;
    if (group.brakedAt !== null) this.engagedFor(group, loggedAt, at);
    if (loggedAt < group.exemptUntil) return;
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
      spentMs: 0,
      spentAt: never,
      exemptUntil: never,
    };
    this.groups.set(name, fresh);
    return fresh;
  }
}
