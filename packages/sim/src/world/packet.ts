import type { Signal, Source } from '@holter/core';

/** Who speaks in a simulation: the agent, the program that it runs in by its hooks, or Holter's senses. */
export type Said = Extract<Source, 'agent' | 'cli' | 'holter'>;

/** One word on its way to Holter. */
export type Packet = {
  readonly signal: Signal;
  readonly origin: Said;
  /** Found the monitor away, and came again: with which of its returns. */
  readonly waits?: number;
  /** Shared by a message and its copy; only the first to arrive counts. */
  readonly twin?: { isHeard: boolean };
};
