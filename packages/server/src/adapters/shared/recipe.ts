import type { SignalBody } from '@holter/core';
import type { ProcessTable } from '../../processes/index.ts';

/** How `holter run` starts one session of an agent, listens to it, stops it and brings it back. */
export type Recipe = {
  /** It was told to work and to end, without a person at the terminal. */
  readonly isHeadless: boolean;
  /** Whether a session that was cut short can be continued. */
  readonly canResume: boolean;
  /** The command of the first start, with its reports sent to this server. */
  readonly start: (serverUrl: string) => readonly string[];
  /** The command of a successor: the same session if there is one, else the task again; default: the first command. */
  readonly startAgain?: (serverUrl: string, facts: RestartFacts) => Promise<readonly string[]>;
  /** How long it may wait for its model without a sign, where this command says otherwise than `promises`. */
  readonly modelTimeoutMs?: number;
  /** What it uses while it only waits (measured); default: nothing. */
  readonly idle?: Idle;
  /** The signal that it takes for "stop and save"; default: SIGINT. */
  readonly stopFrom?: 'SIGINT' | 'SIGTERM';
  /** The transcript that `holter run` follows, for an agent without hooks that would name it to the server. */
  readonly transcript?: { readonly file: string; readonly sessionId: string };
  /** The session that its reports name, once it is known; default: it has none. */
  readonly session?: () => string | null;
  /** What its output says, where it passes through `holter run`. */
  readonly heard?: (bytes: Buffer) => readonly SignalBody[];
  /** Called regularly while it runs. */
  readonly look?: (pid: number, table: ProcessTable) => Promise<void>;
  /** Since when it has had nothing left to do and should have ended, by its own record; null while it works. */
  readonly finishedAt?: () => Promise<number | null>;
  /** How it really ended: an exit code may say less than its last record. */
  readonly endOf?: (end: ChildEnd) => Promise<ChildEnd>;
};

/** How a child ended, as the system told its parent. */
export type ChildEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** What a program uses while it does nothing but wait: timers, a garbage collector, an event loop. */
export type Idle = { readonly cpuShare: number; readonly bytesPerSecond: number };

/** Holter's own facts and an operator's words, and nothing that the agent or its tools wrote. */
export type RestartFacts = {
  readonly attempt: number;
  /** The kind of finding that opened the incident; null when it is not known. */
  readonly cause: string | null;
  /** Why a person ordered it to be stopped or started; null when none did. */
  readonly orderReason: string | null;
};

/** The command line that a recipe is made for, and what surrounds it. */
export type RecipeContext = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** The session of a process that runs already, where it is known. */
  readonly sessionId?: string;
  readonly newId: () => string;
  readonly now: () => number;
};
