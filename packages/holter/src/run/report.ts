import type { ChildEnd } from '@holter/server/adapters';
import { CODE, endInWords, exitCodeOf } from './end.ts';

/** The end of a run as one JSON line. */
export type RunReport = {
  readonly type: 'holter.run';
  readonly agentId: string;
  /** 0 if it ran unwatched. */
  readonly incarnation: number;
  readonly exitCode: number;
  readonly signal: string | null;
  readonly how: 'done' | 'crashed' | 'stopped' | 'terminated';
  /** Starts after the first one. */
  readonly recoveries: number;
  readonly checkpointId: string | null;
  readonly durationMs: number;
  readonly needsPerson: boolean;
  /** Processes that the command has left running when it crashed. */
  readonly leftBehind: readonly number[];
};

export function reportOf(
  facts: Omit<RunReport, 'type' | 'exitCode' | 'signal'> & { readonly end: ChildEnd },
): RunReport {
  const { end, ...rest } = facts;
  const own = exitCodeOf(end);
  // A command that saves its work when it is stopped says 0; the work is not done all the same.
  const exitCode = own === 0 && rest.how === 'terminated' ? CODE.terminated : own;
  return { type: 'holter.run', ...rest, exitCode, signal: end.signal };
}

export const unwatchedReport = (agentId: string, end: ChildEnd, durationMs: number): RunReport =>
  reportOf({
    ...{ agentId, end, durationMs },
    how: end.code === 0 ? 'done' : 'crashed',
    ...{ incarnation: 0, recoveries: 0, checkpointId: null, needsPerson: false, leftBehind: [] },
  });

const PIDS_SHOWN = 10;

/** The end of a run for people: what happened, how many attempts there were, and what to do next. */
export function summaryOf(report: RunReport, end: ChildEnd, isRecovered: boolean): readonly string[] {
  const { agentId, recoveries, checkpointId, how, needsPerson, leftBehind } = report;
  if (how === 'done' || how === 'stopped') return [];
  const after = recoveries > 0 ? ` after ${recoveries} new ${recoveries === 1 ? 'start' : 'starts'}` : '';
  const again = recoveries > 0 ? `,${after}, which is the limit` : '';
  const lines = [
    how === 'terminated'
      ? `${agentId} was stopped${after}`
      : `${agentId} ${endInWords(end)}${needsPerson && isRecovered ? again : ''}`,
  ];
  if (leftBehind.length > 0) {
    const processes = leftBehind.length === 1 ? 'a process' : `${leftBehind.length} processes`;
    lines.push(`it left ${processes} running: pid ${leftBehind.slice(0, PIDS_SHOWN).join(', ')}`);
  }
  if (checkpointId !== null) lines.push(`last checkpoint: ${checkpointId}`);
  if (needsPerson) lines.push(`it stays down until you start it again; why: holter why ${agentId}`);
  return lines;
}
