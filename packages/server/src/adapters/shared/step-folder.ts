import type { Evidence, Instant } from '@holter/core';

/** A session that was found in a folder, with what a judge reads of it. */
type FoundSession = {
  readonly evidence: Evidence;
  /** When it began, as its own record says; null if that says nothing. */
  readonly startedAt: Instant | null;
};

export type FolderContext = {
  /** The clock on the wall, which the times of files go by. */
  readonly wallNow: () => number;
  /** When the process with this pid began, by the same clock; null if there is none. */
  readonly startOf: (pid: number) => number | null;
  /** The same value without secrets. */
  readonly redact: (value: unknown) => unknown;
};

export type FolderLook = {
  /** Null: no such session, or none at work. */
  readonly session: FoundSession | null;
  /** In words, what can't be used of its files. With faults, a session that was not found may well be there. */
  readonly faults: readonly string[];
};

/**
 * A folder in which an agent keeps its sessions with a log of their steps. A look reads what was added since the last
 * one.
 */
export type StepFolder = {
  readonly look: (session?: string) => Promise<FolderLook>;
};

export type OpenStepFolder = (path: string, context: FolderContext) => StepFolder;
