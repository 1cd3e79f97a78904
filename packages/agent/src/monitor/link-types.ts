import type { HealthRecord } from './health-record.ts';

/** How an agent is pinged and heard. All emitters of this process share one link. */
export type Link = {
  /** False where nothing can answer, such as a child process without an IPC channel. */
  readonly canPing: boolean;
  /** How long it may take to start: its silence does not count until then or until it was first heard. */
  readonly startupMs: number;
  /** Whether its pings have a listener now. */
  readonly hasListener: (record: HealthRecord) => boolean;
  /** Begins to listen. */
  readonly attach: (record: HealthRecord) => void;
  /** Returns whether the ping had a listener. Throws what a listener throws. */
  readonly ping: (record: HealthRecord) => boolean;
  /** Removes every listener. */
  readonly detach: (record: HealthRecord) => void;
};

/** A thread or process has to be loaded first, which takes long on a busy machine. */
export const STARTUP_MS = 10_000;

/** What links report to the monitor. */
export type Ears = {
  readonly pong: (record: HealthRecord) => void;
  readonly activity: (record: HealthRecord) => void;
  /** `code` is null where it is not known; only 0 is an intended end. */
  readonly exited: (record: HealthRecord, code: number | null, detail: string) => void;
  readonly linkLost: (record: HealthRecord) => void;
  readonly removed: (record: HealthRecord) => void;
  /** The last listener of its pings was removed. */
  readonly deaf: (record: HealthRecord) => void;
};
