import type { SignalBody } from '@holter/core';
import type { ProcessTable } from '@holter/server/process';
import type { ChildEnd } from '../end.ts';
import type { Idle } from '../idle-floor.ts';

/**
 * How a known agent CLI is started, heard, ended and brought back. A command without a recipe is watched as a
 * process; with one its own reports come on top. docs/agents/adding-one.md tells how to write another.
 */
export type Recipe = {
  readonly kind: string;
  /** Nobody sits at it: it was told to work and to end. */
  readonly isHeadless: boolean;
  /** Whether a conversation that was cut short can be taken up again. */
  readonly canResume: boolean;
  /** How long it may rightly wait for its model without a sign. */
  readonly modelTimeoutMs: number;
  /** What it burns while it only waits (measured). */
  readonly idle: Idle;
  /** What it takes for "stop and save". */
  readonly stopFrom: 'SIGINT' | 'SIGTERM';
  /** The first start, with its reports sent to this server. */
  readonly start: (serverUrl: string) => readonly string[];
  /** A successor: the same conversation if there is one, else the task again; with a note of what happened. */
  readonly startAgain: (serverUrl: string, facts: RestartFacts) => readonly string[];
  /** What its output says, where it passes through here. */
  readonly heard: (bytes: Buffer) => readonly SignalBody[];
  /** Looked at every second while it runs. */
  readonly look: (pid: number, table: ProcessTable) => void;
  /** How it really ended: an exit code may say less than its last record. */
  readonly endOf: (end: ChildEnd) => ChildEnd;
};

/** Holter's own facts, and nothing that the agent or its tools wrote. */
export type RestartFacts = {
  readonly attempt: number;
  /** The kind of finding that opened the incident; null when nobody could say. */
  readonly cause: string | null;
};

/** What a recipe is made of. */
export type RecipeContext = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  readonly newId: () => string;
  readonly now: () => number;
};
