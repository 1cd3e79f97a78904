import type { HolterEvent } from '@holter/core';

/** What an audit has to say; the number is the design's invariant. */
export type AuditViolation = {
  readonly invariant: number;
  readonly agentId: string;
  /** In the world's own time, whatever the clocks of servers say. */
  readonly at: number;
  readonly what: string;
};

export type Report = (invariant: number, agentId: string, at: number, what: string) => void;

/** One line of the event log, and when it was written in the world's own time. */
export type LogEntry = {
  readonly cursor: number;
  readonly at: number;
  readonly agentId: string;
  readonly event: HolterEvent;
};

/** Something that was really done to an agent or said to a person, as those saw it who did it. */
export type Execution = {
  readonly effectId: string;
  readonly kind: string;
  readonly agentId: string;
  /** Which server had it done. */
  readonly by: number;
  readonly from: number;
  /** NaN while it is under way; a server that was killed in the middle leaves it so. */
  to: number;
  /** The newest line of the log when it was begun. */
  readonly cursor: number;
};
