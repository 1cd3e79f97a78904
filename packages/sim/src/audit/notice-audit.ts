import type { FindingKind, HealthState, LivenessWord } from '@holter/core';
import type { AuditedProfile } from './auditor.ts';
import { contract } from './contract.ts';
import type { Orders } from './orders.ts';
import type { SpentHolds } from './spent-holds.ts';
import type { TruthLog } from './truth-log.ts';
import type { LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;
/**
 * Wide on purpose: the checker knows the exact deadlines. A timer that was lost, or a signal that never came through,
 * shows here as trouble that is never noticed.
 */
const STUCK_NOTICED_WITHIN_MS = 45 * MINUTE_MS;
/** Its exit was seen, or beats are missing: up to four of an agent that was busy, with a grace of one interval. */
const deathNoticedWithinMs = (intervalMs: number): number => Math.max(10 * MINUTE_MS, 8 * intervalMs);
/** Backoffs, budgets and the brake delay a start by minutes, the breaker of Holter's own starts by up to 66 minutes. */
const BROUGHT_BACK_WITHIN_MS = 90 * MINUTE_MS;

type Standing = {
  health: HealthState;
  healthSince: number;
  liveness: LivenessWord;
  livenessSince: number;
  /** The newest line that says that something is wrong with it. */
  alarmAt: number;
  /** What it said or its breakers say, which stands for as long as its next call lasts. */
  readonly excuses: Set<FindingKind>;
  excusedAt: number;
  /** It is down and to be brought back, and this is the newest line about it. */
  recoversSince: number | null;
};

/** Findings that make an agent FAILING that is fine otherwise: what it said stands until it makes progress again. */
const EXCUSES: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'consecutive-failures',
  'breaker-open',
  'unrecoverable-error',
]);

type NoticeContext = {
  readonly truth: TruthLog;
  readonly orders: Orders;
  readonly holds: SpentHolds;
  readonly isOpen: (agentId: string) => boolean;
  readonly profileOf: (agentId: string) => AuditedProfile | undefined;
};

/** Invariants 2 and 9: trouble is noticed, and what the log says of an agent comes to agree with the truth. */
export class NoticeAudit {
  private readonly report: Report;
  private readonly about: NoticeContext;
  private readonly standings = new Map<string, Standing>();

  constructor(report: Report, about: NoticeContext) {
    this.report = report;
    this.about = about;
  }

  read({ event, at, agentId }: LogEntry): void {
    const standing = this.standingOf(agentId);
    if (standing.recoversSince !== null) standing.recoversSince = at;
    switch (event.type) {
      case 'INCIDENT_OPENED':
      case 'INCIDENT_STEP':
        standing.recoversSince = event.payload.step === 'recover' ? at : null;
        return;
      case 'INCIDENT_CLOSED':
        standing.recoversSince = null;
        return;
      case 'HEALTH_STATE_CHANGED':
        standing.health = event.payload.to;
        standing.healthSince = at;
        if (event.payload.to !== 'HEALTHY') standing.alarmAt = at;
        return;
      case 'LIVENESS_CHANGED':
        standing.liveness = event.payload.to;
        standing.livenessSince = at;
        if (event.payload.to !== 'alive') standing.alarmAt = at;
        return;
      case 'AGENT_REGISTERED':
        Object.assign(standing, { health: 'HEALTHY', healthSince: at, liveness: 'alive', livenessSince: at });
        standing.excuses.clear();
        return;
      case 'FINDING_RAISED':
        standing.alarmAt = at;
        if (EXCUSES.has(event.payload.kind)) standing.excuses.add(event.payload.kind);
        return;
      case 'FINDING_CLEARED':
        if (standing.excuses.delete(event.payload.kind)) standing.excusedAt = at;
        return;
      default:
        return;
    }
  }

  /** Called every few minutes, and at the end. */
  look(at: number): void {
    // An agent that never registered can't be missed.
    for (const [agentId, standing] of this.standings) {
      const now = this.about.truth.at(agentId, at);
      if (!now) continue;
      if (now.truth === 'dead' || now.truth === 'stuck') this.lookAtTrouble(agentId, standing, now, at);
      this.lookAtHealth(agentId, standing, now, at);
    }
  }

  private lookAtTrouble(
    agentId: string,
    standing: Standing,
    { truth, since }: { readonly truth: string; readonly since: number },
    at: number,
  ): void {
    this.lookAtRecovery(agentId, standing, at);
    if (standing.alarmAt >= since || standing.health !== 'HEALTHY' || this.about.isOpen(agentId)) return;
    const boundMs =
      truth === 'stuck'
        ? STUCK_NOTICED_WITHIN_MS
        : deathNoticedWithinMs(this.about.profileOf(agentId)?.intervalMs ?? 0);
    if (this.about.truth.watchedMs(agentId, since, at) <= boundMs) return;
    const minutes = Math.round((at - since) / MINUTE_MS);
    this.report(2, agentId, at, `${truth} for ${minutes} min, and not noticed`);
    standing.alarmAt = at;
  }

  private lookAtRecovery(agentId: string, standing: Standing, at: number): void {
    const { recoversSince } = standing;
    if (recoversSince === null) return;
    if (this.about.truth.watchedMs(agentId, recoversSince, at) <= BROUGHT_BACK_WITHIN_MS) return;
    this.report(9, agentId, at, 'down for an hour and a half, and neither brought back nor given up');
    standing.recoversSince = null;
  }

  /** The same truth and the same verdict for an hour, in which the agent could be heard and seen: they must agree. */
  private lookAtHealth(
    agentId: string,
    standing: Standing,
    now: { readonly truth: string; readonly since: number },
    at: number,
  ): void {
    const since = at - contract.healMs;
    if (this.about.profileOf(agentId)?.tellsTime === false || this.about.orders.isGivenUp(agentId)) return;
    if (now.since > since || standing.healthSince > since || standing.excusedAt > since) return;
    if (this.about.holds.isSpent(agentId, at)) return;
    const isRight = this.isRight(standing, now.truth, since);
    if (isRight || this.about.truth.watchedMs(agentId, since, at) < contract.healMs) return;
    this.report(
      9,
      agentId,
      at,
      `${now.truth} for an hour and called ${standing.health}, ${standing.liveness}`,
    );
    standing.healthSince = at;
  }

  private isRight(
    { health, liveness, livenessSince, excuses }: Standing,
    truth: string,
    since: number,
  ): boolean {
    switch (truth) {
      case 'fine':
        if (liveness === 'unknown' && livenessSince <= since) return false;
        return (health !== 'FAILING' || excuses.size > 0) && health !== 'TERMINATED';
      case 'stuck':
        return health !== 'HEALTHY';
      default:
        // Without a witness a dead agent can't be told from a silent one: unknown is the truth then.
        return health === 'FAILING' || health === 'TERMINATED' || liveness === 'unknown';
    }
  }

  private standingOf(agentId: string): Standing {
    const known = this.standings.get(agentId);
    if (known) return known;
    const fresh: Standing = {
      health: 'HEALTHY',
      healthSince: 0,
      liveness: 'alive',
      livenessSince: 0,
      alarmAt: -1,
      excuses: new Set(),
      excusedAt: 0,
      recoversSince: null,
    };
    this.standings.set(agentId, fresh);
    return fresh;
  }
}
