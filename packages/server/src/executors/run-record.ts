import type { ProcessIdentity } from '../processes/index.ts';

/** What to do with a child whose `holter run` was killed: let the server manage it, or stop it cleanly. */
export type OnLost = 'adopt' | 'end';

/**
 * What a `holter run` reports about itself and its child, so that the server can take over. Stored, because
 * run and server may be killed at the same time.
 */
export type RunRecord = {
  /** `run:<uuid>` */
  readonly executorId: string;
  readonly agentId: string;
  readonly incarnation: number;
  /** Marker in the environment of the child and its descendants. */
  readonly runId: string;
  /** The host it runs on: processes on other hosts can't be inspected. */
  readonly hostId: string;
  readonly run: ProcessIdentity;
  /** Null while no child is running. */
  readonly child: ProcessIdentity | null;
  readonly nudgeFile: string | null;
  /** How messages reach the child: through the nudge file, or in replies to its own requests. */
  readonly words: 'file' | 'replies';
  readonly onLost: OnLost;
  /** The session of a known agent, by the name of its adapter; absent for a plain command. */
  readonly session?: { readonly kind: string; readonly id: string } | undefined;
};
