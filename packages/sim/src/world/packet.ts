import type { Signal } from '@holter/core';

/** One word on its way to Holter. */
export type Packet = {
  readonly signal: Signal;
  readonly origin: 'agent' | 'holter';
  /** Found the monitor away, and came again: with which of its returns. */
  readonly waits?: number;
  /** Shared by a message and its copy; only the first to arrive counts. */
  readonly twin?: { isHeard: boolean };
};
