import type { ChildEnd } from '@holter/server/adapters';
import type { Child } from './child.ts';

/** How the whole run ended. */
export type RunEnd = {
  readonly end: ChildEnd;
  readonly how: HowEnded;
  readonly incarnation: number;
  readonly recoveries: number;
  readonly checkpointId: string | null;
  readonly needsPerson: boolean;
  /** Processes that a command which crashed for good has left running. */
  readonly leftBehind: readonly number[];
};

type HowEnded = 'done' | 'crashed' | 'stopped' | 'terminated';

/** One start of the command. */
export type StartOrder = {
  /** 0 for the first start, then the number of the recovery. */
  readonly attempt: number;
  readonly checkpointId: string | null;
  /** Why its predecessor was stopped; null for the first start. */
  readonly reason: string | null;
};

/** The state that the parts of a run share. */
export type RunState = {
  /** The newest start; it may have ended. */
  child: Child | null;
  /** The marker in the environment of the newest start. */
  runId: string;
  recoveries: number;
  /** The newest start, once it and all its descendants are known to have ended. */
  provenGone: Child | null;
  /** During a termination, the end of the child is reported by the receipt of that termination. */
  isTerminating: boolean;
  /** True from the order of a start until it runs; the agent does not count as down for good meanwhile. */
  isStarting: boolean;
  lastHow: HowEnded;
};
