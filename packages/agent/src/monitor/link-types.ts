import type { HealthRecord } from './health-record.ts';

/** The way to an agent: how it is pinged, and how it is heard. All agents of this process share one. */
export type Link = {
  /** False where nothing can answer, such as a child process without an IPC channel. */
  readonly canPing: boolean;
  /** How long it may take to start, before it was first heard; its silence does not count till then. */
  readonly startupMs: number;
  /** Whether somebody listens to its pings now. */
  readonly hasListener: (record: HealthRecord) => boolean;
  /** Begins to listen. */
  readonly attach: (record: HealthRecord) => void;
  /** Says whether anybody was there to hear it. May throw what a listener throws. */
  readonly ping: (record: HealthRecord) => boolean;
  /** Takes every listener away again. */
  readonly detach: (record: HealthRecord) => void;
};

/** A thread or a process has to be loaded first, which a busy machine may take its time for. */
export const STARTUP_MS = 10_000;

/** What links tell the monitor. */
export type Ears = {
  readonly pong: (record: HealthRecord) => void;
  readonly activity: (record: HealthRecord) => void;
  /** `code` is null where it is not known; only 0 is an end on purpose. */
  readonly exited: (record: HealthRecord, code: number | null, detail: string) => void;
  readonly linkLost: (record: HealthRecord) => void;
  readonly removed: (record: HealthRecord) => void;
};
