import type { HealthState, LivenessWord } from '@holter/core';
import type { AuditedProfile } from './auditor.ts';
import type { TruthLog } from './truth-log.ts';
import type { LogEntry, Report } from './violation.ts';

const MINUTE_MS = 60_000;
/**
 * Wide on purpose: what exactly is due when is the business of the checker that follows every input. Here a
 * timer that was lost, or a word that never came through, shows as something that nobody ever noticed.
 */
const STUCK_NOTICED_WITHIN_MS = 45 * MINUTE_MS;
/** Somebody saw the exit, or a beat did not come: of an agent that had said it was busy the fourth, with a grace of
 * one interval, and later still while Holter hiccups. */
const deathNoticedWithinMs = (intervalMs: number): number => Math.max(10 * MINUTE_MS, 8 * intervalMs);
const HEALED_WITHIN_MS = 60 * MINUTE_MS;
/**
 * Backoffs, budgets and the brake hold a start back for minutes, a break of Holter's own starts for up to an hour and
 * a tenth; after so long nobody thinks of it any more.
 */
const BROUGHT_BACK_WITHIN_MS = 90 * MINUTE_MS;

type Standing = {
  health: HealthState;
  healthSince: number;
  liveness: LivenessWord;
  /** The newest line that says that something is wrong with it. */
  alarmAt: number;
  /** It reported more failures than it may; as long as its next call lasts, nothing else is known of it. */
  saysFailing: boolean;
  /** It is down and to be brought back, and this is the newest line about it. */
  recoversSince: number | null;
};

/** Invariants 2 and 9, by the log and the truth: trouble is noticed, and in the end both say the same. */
export class NoticeAudit {
  private readonly report: Report;
  private readonly truth: TruthLog;
  private readonly standings = new Map<string, Standing>();
  private readonly isOpen: (agentId: string) => boolean;
  private readonly profileOf: (agentId: string) => AuditedProfile | undefined;

  constructor(
    report: Report,
    truth: TruthLog,
    isOpen: (agentId: string) => boolean,
    profileOf: (agentId: string) => AuditedProfile | undefined,
  ) {
    this.report = report;
    this.truth = truth;
    this.isOpen = isOpen;
    this.profileOf = profileOf;
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
        if (event.payload.to !== 'alive') standing.alarmAt = at;
        return;
      case 'AGENT_REGISTERED':
        standing.health = 'HEALTHY';
        standing.liveness = 'alive';
        standing.saysFailing = false;
        return;
      case 'FINDING_RAISED':
        standing.alarmAt = at;
        if (event.payload.kind === 'consecutive-failures') standing.saysFailing = true;
        return;
      case 'FINDING_CLEARED':
        if (event.payload.kind === 'consecutive-failures') standing.saysFailing = false;
        return;
      default:
        return;
    }
  }

  /** Called now and then: a trouble that has lasted too long without a word in the log. */
  look(at: number): void {
    // Who never said hello is nobody's to miss.
    for (const [agentId, standing] of this.standings) {
      const now = this.truth.at(agentId, at);
      if (now?.truth !== 'dead' && now?.truth !== 'stuck') continue;
      this.lookAtRecovery(agentId, standing, at);
      const isNoticed =
        standing.alarmAt >= now.since || standing.health !== 'HEALTHY' || this.isOpen(agentId);
      if (isNoticed) continue;
      const boundMs =
        now.truth === 'stuck'
          ? STUCK_NOTICED_WITHIN_MS
          : deathNoticedWithinMs(this.profileOf(agentId)?.intervalMs ?? 0);
      if (this.truth.watchedMs(agentId, now.since, at) > boundMs) {
        const minutes = Math.round((at - now.since) / MINUTE_MS);
        this.report(2, agentId, at, `${now.truth} for ${minutes} min, and nobody noticed`);
        standing.alarmAt = at;
      }
    }
  }

  /** "Needs a restart" that is only logged was a 155-hour outage. */
  private lookAtRecovery(agentId: string, standing: Standing, at: number): void {
    const { recoversSince } = standing;
    if (recoversSince === null) return;
    if (this.truth.watchedMs(agentId, recoversSince, at) <= BROUGHT_BACK_WITHIN_MS) return;
    this.report(9, agentId, at, 'down for an hour and a half, and neither brought back nor given up');
    standing.recoversSince = null;
  }

  finish(at: number): void {
    for (const [agentId, standing] of this.standings) {
      const now = this.truth.at(agentId, at);
      const since = at - HEALED_WITHIN_MS;
      if (this.profileOf(agentId)?.tellsTime === false) continue;
      // Only who could be heard and seen all that time.
      if (!now || now.since > since || this.truth.watchedMs(agentId, since, at) < HEALED_WITHIN_MS) continue;
      if (at - standing.healthSince < HEALED_WITHIN_MS) continue;
      const { health } = standing;
      const isRight =
        now.truth === 'fine'
          ? (health !== 'FAILING' || standing.saysFailing) && health !== 'TERMINATED'
          : now.truth === 'stuck'
            ? health !== 'HEALTHY'
            : health === 'FAILING' || health === 'TERMINATED' || standing.liveness === 'unknown';
      if (!isRight) this.report(9, agentId, at, `${now.truth} for an hour and called ${health}`);
    }
  }

  private standingOf(agentId: string): Standing {
    const known = this.standings.get(agentId);
    if (known) return known;
    const fresh: Standing = {
      health: 'HEALTHY',
      healthSince: 0,
      liveness: 'alive',
      alarmAt: -1,
      saysFailing: false,
      recoversSince: null,
    };
    this.standings.set(agentId, fresh);
    return fresh;
  }
}
