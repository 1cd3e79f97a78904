import type { ProcessIdentity } from '../processes/index.ts';

/** What becomes of a child whose `holter run` was killed: watched on from the server, or ended in order. */
export type OnLost = 'adopt' | 'end';

/**
 * What a `holter run` tells about itself and its child, so that the server can go on without it. Kept in the
 * store: both may be killed at once.
 */
export type RunRecord = {
  /** `run:<uuid>` */
  readonly executorId: string;
  readonly agentId: string;
  readonly incarnation: number;
  /** The mark in the environment of the child and of all that came from it. */
  readonly runId: string;
  /** Where it runs: processes of another host can't be looked up here. */
  readonly hostId: string;
  readonly run: ProcessIdentity;
  /** Null before the first start and between two. */
  readonly child: ProcessIdentity | null;
  readonly nudgeFile: string | null;
  /** How words reach its child: by that file, or in the replies to what the child itself reports. */
  readonly words: 'file' | 'replies';
  readonly onLost: OnLost;
};
