import type { AgentClock } from '../real-clock.ts';
import { BeatRing } from './beat-ring.ts';
import type { FullConfig } from './config.ts';
import type { DegradedReason } from './events.ts';
import { EARLY_MS, type HealthRecord, NO_PING } from './health-record.ts';

/** What the rounds report; the monitor decides what follows from it. */
type RoundFindings = {
  readonly missed: (record: HealthRecord, reason: DegradedReason) => void;
  readonly gone: (record: HealthRecord) => void;
  readonly tornDown: (record: HealthRecord) => void;
  readonly stalled: (durationMs: number) => void;
};

/** Up to this many agents are pinged in one go, which takes about a millisecond; more are spread over the round. */
const AGENTS_PER_SHARE = 1_024;
const SHARES_MAX = 16;
const SHARE_MS_MIN = 20;
/** A timer this late could not run: the loop was blocked, the process suspended or the machine asleep. */
const LATE_MS = 200;
const STALL_TOLD_MS = 1_000;
/** Answers come immediately, so one reading of the clock serves several tens of them. */
const VISITS_PER_READING = 64;
const NOT_IN_SHARE = -1;

/**
 * Pings every agent once per interval and judges those that have not answered, with one timer for all.
 *
 * A ping that is unanswered for `heartbeatTimeout` is a missed beat; an agent is gone `maxMissedBeats`
 * intervals after its last sign of life, if a ping was unanswered during that time: an agent is never blamed
 * for a ping that was not sent. Time in which the monitor itself could not run does not count: after a stall
 * every agent gets the rest of its time. The price is that the monitor reports nothing while its own loop is
 * blocked; the watchdog does.
 */
export class Rounds {
  private readonly config: FullConfig;
  private readonly clock: AgentClock;
  private readonly findings: RoundFindings;
  private readonly ring = new BeatRing();
  /** Agents with an unanswered ping; those that answer immediately are never added. */
  private readonly waiting = new Set<HealthRecord>();
  private timer: NodeJS.Timeout | null = null;
  private dueAt = 0;
  private nextShareAt = 0;
  private shares = 1;
  private stalledMs = 0;
  /** While agents are pinged: the clock reading that is used for their answers. */
  private shareAt = NOT_IN_SHARE;

  constructor(config: FullConfig, clock: AgentClock, findings: RoundFindings) {
    this.config = config;
    this.clock = clock;
    this.findings = findings;
  }

  /** Monotonic whole milliseconds, without the stalls. */
  now(): number {
    return Math.floor(this.clock.monotonic()) - this.stalledMs;
  }

  /** Monotonic, including stalls: the time of the signal that is being handled. */
  heardAt(): number {
    return this.shareAt === NOT_IN_SHARE ? Math.floor(this.clock.monotonic()) : this.shareAt;
  }

  add(record: HealthRecord): void {
    record.hadListener = record.link.hasListener(record);
    this.ring.add(record);
    const { heartbeatInterval } = this.config;
    const now = this.now();
    if (this.ring.size === 1) {
      this.shares = 1;
      this.nextShareAt = now + heartbeatInterval;
      this.arm(this.nextShareAt, now);
    }
    // Never lowered: with fewer slots some agents would wait longer than an interval.
    const sharesMax = Math.min(SHARES_MAX, Math.floor(heartbeatInterval / SHARE_MS_MIN));
    const shares = Math.min(sharesMax, Math.ceil(this.ring.size / AGENTS_PER_SHARE));
    if (shares <= this.shares) return;
    this.shares = shares;
    this.nextShareAt = Math.min(this.nextShareAt, now + heartbeatInterval / shares);
    this.arm(Math.min(this.dueAt, this.nextShareAt), now);
  }

  remove(record: HealthRecord): void {
    this.ring.remove(record);
    this.settle(record);
    if (this.ring.size === 0) this.stop();
  }

  /** A sign of life. Called for every beat, so it does as little as possible. */
  heard(record: HealthRecord, at: number): void {
    record.proofAt = at - this.stalledMs;
    if (record.isWaiting) this.settle(record);
    record.pingAt = NO_PING;
  }

  /** The agent is no longer judged by its unanswered ping. */
  settle(record: HealthRecord): void {
    if (!record.isWaiting) return;
    record.isWaiting = false;
    this.waiting.delete(record);
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Pings one agent now. */
  visit(record: HealthRecord, now = this.now()): void {
    const { enableHeartbeats, activityTimeout } = this.config;
    if (!enableHeartbeats) {
      const isQuiet = now - record.proofAt > activityTimeout;
      if (isQuiet && record.status === 'healthy') this.findings.missed(record, 'inactivity');
      return;
    }
    if (!record.link.canPing) return;
    if (record.pingAt === NO_PING) record.pingAt = now;
    const wasHeard = this.ping(record);
    if (record.isRemoved) return;
    if (wasHeard) {
      if (!record.hadListener) record.hadListener = true;
    } else if (record.hadListener && record.status !== 'disconnected') return this.findings.tornDown(record);
    if (record.pingAt === NO_PING || record.isWaiting || record.status === 'disconnected') return;
    record.isWaiting = true;
    this.waiting.add(record);
  }

  private ping(record: HealthRecord): boolean {
    try {
      const wasHeard = record.link.ping(record);
      if (record.hasPingFailed) record.hasPingFailed = false;
      return wasHeard;
    } catch {
      // A listener that throws has not answered; it must not stop the round or crash the host.
      record.hasPingFailed = true;
      return true;
    }
  }

  private readonly tick = (): void => {
    this.timer = null;
    const lateMs = this.now() - this.dueAt;
    if (lateMs > LATE_MS) {
      this.stalledMs += Math.round(lateMs);
      if (lateMs > STALL_TOLD_MS) this.findings.stalled(lateMs);
    }
    if (this.now() + EARLY_MS >= this.nextShareAt) this.pingShare();
    const judgeAgainAt = this.judge(this.now());
    if (this.ring.size > 0) this.arm(Math.min(this.nextShareAt, judgeAgainAt), this.now());
  };

  private pingShare(): void {
    const share = Math.ceil(this.ring.size / this.shares);
    for (let i = 0; i < share; i += 1) {
      if (i % VISITS_PER_READING === 0) this.shareAt = Math.floor(this.clock.monotonic());
      const record = this.ring.take();
      if (record) this.visit(record, this.shareAt - this.stalledMs);
    }
    this.shareAt = NOT_IN_SHARE;
    this.nextShareAt += this.config.heartbeatInterval / this.shares;
  }

  /** Returns when to look again. */
  private judge(now: number): number {
    const { heartbeatInterval, heartbeatTimeout, maxMissedBeats } = this.config;
    let againAt = Number.POSITIVE_INFINITY;
    for (const record of this.waiting) {
      const startupMs = record.isNew ? record.link.startupMs : 0;
      const missedAt = record.pingAt + heartbeatTimeout + startupMs;
      if (now + EARLY_MS < missedAt) {
        againAt = Math.min(againAt, missedAt);
        continue;
      }
      if (record.status === 'healthy')
        this.findings.missed(record, record.hasPingFailed ? 'heartbeat_error' : 'missed_heartbeat');
      // A listener may have removed it.
      if (!record.isWaiting) continue;
      const goneAt = record.proofAt + maxMissedBeats * heartbeatInterval + startupMs;
      if (now + EARLY_MS < goneAt) againAt = Math.min(againAt, goneAt);
      else {
        this.settle(record);
        this.findings.gone(record);
      }
    }
    return againAt;
  }

  private arm(at: number, now: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(this.tick, Math.max(1, Math.ceil(at - now)));
    // A monitor must not keep a program alive that has nothing else to do.
    this.timer.unref();
  }
}
