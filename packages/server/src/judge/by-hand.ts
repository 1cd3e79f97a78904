import {
  type DurationMs,
  type EscalationTicket,
  type Evidence,
  type EvidenceStep,
  type HealthSummary,
  type Instant,
  type JudgeThresholds,
  type JudgeVerdict,
  judgeSummary,
  lastCheckOf,
  summarize,
} from '@holter/core';
import { ADAPTERS, type StepFolder } from '../adapters/index.ts';
import { startedAtOf, systemTable } from '../processes/index.ts';
import { redactValue } from '../redaction/index.ts';
import { isoOf, ticketOf } from './ticket-of.ts';

/** The adapter that knows folders of sessions; its name is the role of their agents. */
export const [folderAdapter] = ADAPTERS.flatMap(({ name, stepFolder }) =>
  stepFolder ? [{ name, open: stepFolder }] : [],
);

/** Null where no agent kind keeps such folders. */
export function openFolder(
  path: string,
  { wallNow, startOf = processStart(wallNow) }: { wallNow: () => number; startOf?: StartOf | undefined },
): StepFolder | null {
  return folderAdapter?.open(path, { wallNow, startOf, redact: redactValue }) ?? null;
}

/** When a process began; null if there is none. */
export type StartOf = (pid: number) => number | null;

function processStart(wallNow: () => number): StartOf {
  const table = systemTable();
  return (pid) => {
    const row = table?.row(pid);
    if (row) return row.state === 'zombie' ? null : (startedAtOf(row, wallNow()) ?? 0);
    return table ? null : 0;
  };
}

type Terms = {
  readonly at: Instant;
  readonly startedAt: Instant | null;
  readonly intervalMs: DurationMs;
  readonly thresholds: JudgeThresholds;
  readonly newId: () => string;
};

export type CheckByHand = {
  readonly summary: HealthSummary;
  readonly verdict: JudgeVerdict['verdict'];
  readonly reasoning: string;
  /** What the judge would write; null for nothing. */
  readonly ticket: EscalationTicket | null;
  /** The newest steps, oldest first: the conversation that led to this. */
  readonly steps: readonly EvidenceStep[];
};

/** One check that changes nothing, as a check after this interval would be. */
export function checkByHand(evidence: Evidence, terms: Terms): CheckByHand {
  const { at, thresholds, newId } = terms;
  const summary = summarize(evidence, { at, isoOf });
  const { verdict, reasoning, escalation } = judgeSummary(summary, lastCheckOf(evidence, terms), thresholds);
  const ticket =
    verdict === 'escalate' && escalation
      ? ticketOf(summary, { ...escalation, reasoning }, { id: newId(), at })
      : null;
  return { summary, verdict, reasoning, ticket, steps: evidence.steps };
}
