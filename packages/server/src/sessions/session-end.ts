import type { Agent, SignalBody } from '@holter/core';
import type { ProcessTree } from '../processes/index.ts';
import type { Session } from './session.ts';

/** Reports how a session that no file names any more has ended. */
export type EndContext = {
  readonly failed: (error: unknown) => void;
  /** Told of processes that a session has left running, and how it ended. */
  readonly leftBehind: (session: Session, pids: readonly number[], how: string) => void;
  /** Reports what Holter itself has noticed about a session. */
  readonly sensed: (session: Session, signal: SignalBody) => void;
};

type LastSeen = {
  readonly agent: Agent | null;
  readonly tree: ProcessTree | null;
  readonly isRunning: boolean;
};

/**
 * Returns whether it is over. While its process runs that no file names it proves nothing, unless the session has said
 * that it ends: then the process goes on with another one.
 */
export function maybeEnd(
  session: Session,
  { agent, tree, isRunning }: LastSeen,
  context: EndContext,
): boolean {
  // If an executor started it, that executor reports how it ended.
  if (!agent || agent.hard.executor) return true;
  const { end, stopAnnounced } = agent.hard;
  const announced = session.announcedStop ?? stopAnnounced;
  if (!isRunning) {
    becomeGone(session, agent, { announced, left: tree?.look() ?? [] }, context);
    return true;
  }
  if (end) return true;
  if (announced === undefined) return false;
  session.isProcessSeen = false;
  void session.tell({ kind: 'stopped', reason: announced }).catch(context.failed);
  return true;
}

type Left = { readonly announced: string | undefined; readonly left: ReturnType<ProcessTree['look']> };

/** The session's process has exited. */
function becomeGone(session: Session, { hard }: Agent, { announced, left }: Left, context: EndContext): void {
  // A session that ends in order says so, or has no call or turn open.
  const isBusy = hard.turnSince !== undefined || hard.holds.some(({ kind }) => kind === 'in-tool');
  const isCut = !hard.end && announced === undefined && isBusy;
  const signal: SignalBody = isCut
    ? { ...GONE, childrenAtWork: left.length }
    : { kind: 'stopped', reason: announced ?? 'its process has gone' };
  // After what its last hooks said.
  if (!hard.end) void session.settled().then(() => context.sensed(session, signal));
  if (left.length === 0) return;
  const pids = left.map(({ pid }) => pid);
  context.leftBehind(session, pids, isCut ? 'was killed in the middle of its work' : 'has ended');
}

const GONE = { kind: 'process', state: 'gone', cpuMs: 0, ioBytes: 0, memoryBytes: 0 } as const;
