import type { Evidence, Instant } from '@holter/core';

/** A session that was found in a folder, with what a judge reads of it. */
export type FoundSession = {
  readonly evidence: Evidence;
  /** When it began, as its own record says; null if that says nothing. */
  readonly startedAt: Instant | null;
};

type FolderContext = {
  /** The clock on the wall, which the times of files go by. */
  readonly wallNow: () => number;
  /** Removes secrets. */
  readonly redact: (text: string) => string;
};

/**
 * A folder in which an agent keeps its sessions with a log of their steps. A look reads what was added since the last
 * one. Null: no such session, or none at work.
 */
export type StepFolder = {
  readonly look: (session?: string) => Promise<FoundSession | null>;
};

export type OpenStepFolder = (path: string, context: FolderContext) => StepFolder;
