import type { ChildEnd } from '@holter/server/adapters';
import { endInWords, exitCodeOf } from './end.ts';

/** The end of a run as one JSON line. */
type RunReport = {
  readonly type: 'holter.run';
  readonly agentId: string;
  readonly incarnation: number;
  readonly exitCode: number;
  readonly signal: string | null;
  readonly how: 'done' | 'crashed' | 'stopped' | 'terminated';
  /** Starts after the first one. */
  readonly recoveries: number;
  readonly checkpointId: string | null;
  readonly durationMs: number;
  readonly needsPerson: boolean;
};

export function reportOf(
  facts: Omit<RunReport, 'type' | 'exitCode' | 'signal'> & { readonly end: ChildEnd },
): RunReport {
  const { end, ...rest } = facts;
  return { type: 'holter.run', ...rest, exitCode: exitCodeOf(end), signal: end.signal };
}

/** The end of a run for people: what happened, how many attempts there were, and what to do next. */
export function summaryOf(report: RunReport, end: ChildEnd, isRecovered: boolean): readonly string[] {
  const { agentId, recoveries, checkpointId, how, needsPerson } = report;
  if (how === 'done' || how === 'stopped') return [];
  const after = recoveries > 0 ? ` after ${recoveries} new ${recoveries === 1 ? 'start' : 'starts'}` : '';
  const again = recoveries > 0 ? `,${after}, which is the limit` : '';
  const lines = [
    how === 'terminated'
      ? `${agentId} was stopped${after}`
      : `${agentId} ${endInWords(end)}${needsPerson && isRecovered ? again : ''}`,
  ];
  if (checkpointId !== null) lines.push(`last checkpoint: ${checkpointId}`);
  if (needsPerson) lines.push(`it stays down until you start it again; why: holter why ${agentId}`);
  return lines;
}
