import type { HeartbeatBody, SelfStatus } from '@holter/core';
import type { FullOptions } from './options.ts';

/** The details of a heartbeat. */
export type BeatDetails = {
  /** What the agent is doing, in a few words. */
  readonly phase?: string;
  /** Anything that changes when the work moves on; a changed one counts as progress. */
  readonly progress?: string;
  /**
   * `busy` before long work that blocks the process: its next silence may last one deadline longer. Let the beat go
   * out first, and say `healthy` afterwards.
   */
  readonly status?: SelfStatus;
};

type PulseOptions = Pick<FullOptions, 'taskId' | 'beatEveryMs' | 'beatThrottleMs' | 'beatsBackedForMs'>;

/**
 * Decides when heartbeats are sent. A timer alone is not enough: while the agent has work, a beat also needs an
 * open call or a recent report of the agent. Otherwise an agent that waits for a promise which never settles
 * would look alive as long as its event loop runs.
 */
export class Pulse {
  taskId: string | null;
  private readonly everyMs: number;
  private readonly throttleMs: number;
  private readonly backedForMs: number;
  private details: BeatDetails = {};
  private isWanted = true;
  private isTurnOpen = false;
  private openCalls = 0;
  private sentAt = Number.NEGATIVE_INFINITY;
  private reportedAt: number;
  private lastCallAt: number | null = null;
  private errors = 0;

  constructor(options: PulseOptions, now: number) {
    const { taskId, beatEveryMs, beatThrottleMs, beatsBackedForMs } = options;
    this.taskId = taskId;
    // Well before it is due, so that a slow request is no missed beat.
    this.everyMs = beatEveryMs * (2 / 3);
    this.throttleMs = Math.min(beatThrottleMs, beatEveryMs / 2);
    this.backedForMs = beatsBackedForMs;
    this.reportedAt = now;
  }

  /** The agent reported something. */
  reported(now: number): void {
    this.reportedAt = now;
  }

  /** Several beats within the throttle interval are sent as one, with the newest details. */
  beat(details: BeatDetails, now: number): void {
    this.details = { ...this.details, ...details };
    this.isWanted = true;
    this.reported(now);
  }

  turn(isOpen: boolean, now: number): void {
    this.isTurnOpen = isOpen;
    this.reported(now);
  }

  callBegan(now: number): void {
    this.openCalls += 1;
    this.reported(now);
  }

  callEnded(now: number, wall: number, isError: boolean): void {
    this.openCalls = Math.max(0, this.openCalls - 1);
    this.lastCallAt = wall;
    if (isError) this.errors += 1;
    this.reported(now);
  }

  get isWorking(): boolean {
    return this.taskId !== null || this.isTurnOpen;
  }

  /** When the next beat may go out. */
  dueAt(now: number): number {
    if (this.isWanted) return this.sentAt + this.throttleMs;
    return this.isBacked(now) ? this.sentAt + this.everyMs : Number.POSITIVE_INFINITY;
  }

  sent(now: number): void {
    this.sentAt = now;
    this.isWanted = false;
  }

  /** The beat did not arrive: the next try sends the newest details. */
  failed(): void {
    this.isWanted = true;
    this.sentAt = Number.NEGATIVE_INFINITY;
  }

  body(timestamp: number, tokenCount: number): HeartbeatBody {
    const { phase, progress, status } = this.details;
    return {
      kind: 'heartbeat',
      timestamp,
      tokenCount,
      errorCount: this.errors,
      ...(this.taskId !== null && { taskId: this.taskId }),
      ...(this.lastCallAt !== null && { lastToolCall: this.lastCallAt }),
      ...(phase !== undefined && { phase }),
      ...(progress !== undefined && { progressIndicator: progress }),
      ...(status !== undefined && { status }),
    };
  }

  private isBacked(now: number): boolean {
    return !this.isWorking || this.openCalls > 0 || now - this.reportedAt <= this.backedForMs;
  }
}
