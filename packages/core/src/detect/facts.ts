import type { Instant } from '../base/time.ts';
import type { Comparison } from './memory.ts';
import type { AgentStep } from './step.ts';

/** One tool call, as the detectors see it: read once, judged by all. */
export type CallFacts = {
  readonly step: AgentStep;
  readonly tool: string;
  /** How many calls there were before this one. */
  readonly index: number;
  readonly at: Instant | null;
  readonly call: number;
  /** Call and result in one: what cycles are made of. */
  readonly pair: number;
  readonly comparison: Comparison;
  readonly isError: boolean;
  readonly isThought: boolean;
  readonly isEdit: boolean;
  /** This call with this outcome was seen lately. */
  readonly isStale: boolean;
  /** Evidence that something moved: a new result, a new edit, a better number, a longer log. */
  readonly isProgress: boolean;
  /** Waiting by its own word: a wait tool, a sleep, a rate limit. */
  readonly isDeclaredWait: boolean;
  /** Long after the call before it, or waiting by its own word: waiting, not hammering. */
  readonly isPatient: boolean;
  /** A person asked for it after the last time it was made. */
  readonly isAskedFor: boolean;
};
