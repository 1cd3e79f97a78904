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
};

type HowEnded = 'done' | 'crashed' | 'stopped' | 'terminated';

/** What the parts of a run share, and change. */
export type RunState = {
  /** The newest start; it may have ended. */
  child: Child | null;
  /** The mark in the environment of the newest start. */
  runId: string;
  recoveries: number;
  /** The newest start, once it and all that came from it are known to be gone: nobody is left to fork. */
  provenGone: Child | null;
  /** While a termination is under way, the end of the child is part of it and told by its receipt. */
  isTerminating: boolean;
  /** From the order of a start until it runs; nobody may conclude then that it stays down. */
  isStarting: boolean;
  lastHow: HowEnded;
};

export const send = (pid: number, signal: NodeJS.Signals): void => void process.kill(pid, signal);
