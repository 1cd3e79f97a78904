import type { Instant } from '../base/time.ts';
import type { Nothing } from './error-text.ts';
import type { Look } from './looks.ts';
import type { Comparison } from './memory.ts';
import type { AgentStep } from './step.ts';

/** One tool call as the detectors see it; computed once for all of them. */
export type CallFacts = {
  readonly step: AgentStep;
  readonly tool: string;
  /** How many calls there were before this one. */
  readonly index: number;
  readonly at: Instant | null;
  readonly call: number;
  /** Hash of call and result together, which cycles are made of. */
  readonly pair: number;
  readonly comparison: Comparison;
  readonly isError: boolean;
  /** How the answer says that there is nothing, if it does. */
  readonly nothing: Nothing | null;
  readonly isThought: boolean;
  readonly isEdit: boolean;
  /** The call runs tests: it gave a test runner's summary, now or before. */
  readonly isTest: boolean;
  /** A test run that was made before, with an edit in between: red or green, it is work. */
  readonly isRetest: boolean;
  /** Checks an edit and finds nothing wrong, or reads the edited file: the same answer every time is no sign. */
  readonly isCheckOfEdit: boolean;
  /** The call as a look at things; null for edits that succeeded, waits, thoughts and what a person asked for. */
  readonly look: Look | null;
  /** The same call with the same outcome was seen recently. */
  readonly isStale: boolean;
  /** Evidence of progress: a new result, a new edit, a better number, a longer log. */
  readonly isProgress: boolean;
  /** The call declares that it waits: a wait tool, a sleep, a rate limit. */
  readonly isDeclaredWait: boolean;
  /** How long a declared wait says that it sleeps; 0 if it does not say. */
  readonly sleepMs: number;
  /** A declared wait, right after one, or long after the previous call: waiting, not hammering. */
  readonly isPatient: boolean;
  /** Tests that run again because the task is about how often they fail. */
  readonly isMeasurement: boolean;
  /** A person asked for this call after it was last made, or for reruns of tests. */
  readonly isAskedFor: boolean;
};
