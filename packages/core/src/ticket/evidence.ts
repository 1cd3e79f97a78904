import type { Instant } from '../base/time.ts';
import type { Verdict } from '../vocabulary/signal.ts';
import { SNIPPET_LENGTH_MAX } from '../vocabulary/ticket.ts';

/** One step as a judge reads it: texts are redacted and short. */
export type EvidenceStep = {
  /** CONTINUE for a step that nothing has judged. */
  readonly verdict: Verdict;
  readonly tool: string | null;
  /** What the agent said with it. */
  readonly text: string;
  readonly result: string;
  readonly isError: boolean;
};

/**
 * What a judge knows about one session: bounded, whatever the session does. `waitingFor`, `loop` and `fruitless` are
 * what the rules know beside the steps.
 */
export type Evidence = {
  readonly agentId: string;
  readonly graphId: string;
  readonly sessionId: string;
  /** Where the newest step was made; the graph's id if the source does not say. */
  readonly nodeId: string;
  /** As the source calls it; only a session at work is judged. */
  readonly status: string;
  readonly isAtWork: boolean;
  readonly totalSteps: number;
  /** Steps that were judged since the last ACCEPT and not accepted; unlike the lists, it has no limit. */
  readonly streak: number;
  /** Without verdicts there is no streak and no stall. */
  readonly hasVerdicts: boolean;
  /** Of the newest steps, oldest first, and the newest of these in full. */
  readonly verdicts: readonly Verdict[];
  readonly steps: readonly EvidenceStep[];
  /** What the agent last said. */
  readonly said: string;
  readonly lastStepAt: Instant | null;
  /** In words, while the session waits for a person or for something that was announced. */
  readonly waitingFor: string | null;
  /** In words, while a detector finds a loop. */
  readonly loop: string | null;
  /** In words, while calls vary and bring nothing. */
  readonly fruitless: string | null;
};

/** Kept for thousands of agents, so it is little: enough for the most steps that a summary is asked for. */
export const EVIDENCE_VERDICTS_MAX = 100;
export const EVIDENCE_STEPS_MAX = 8;
const STEP_TEXT_MAX = 200;

/** CONTINUE stands for unjudged turns, and compactions are housekeeping: neither says that a step was bad. */
const NOT_JUDGED: ReadonlySet<Verdict> = new Set<Verdict>(['CONTINUE', 'COMPACTION']);

type Words = Pick<Evidence, 'status' | 'isAtWork' | 'waitingFor' | 'loop' | 'fruitless'>;

export const emptyEvidence = (
  ids: Pick<Evidence, 'agentId' | 'graphId' | 'sessionId'> & Partial<Words>,
): Evidence => ({
  nodeId: ids.graphId,
  status: 'active',
  isAtWork: true,
  totalSteps: 0,
  streak: 0,
  hasVerdicts: false,
  verdicts: [],
  steps: [],
  said: '',
  lastStepAt: null,
  waitingFor: null,
  loop: null,
  fruitless: null,
  ...ids,
});

export function observeEvidence(
  evidence: Evidence,
  step: EvidenceStep & { readonly nodeId?: string | undefined; readonly at: Instant | null },
): Evidence {
  const { nodeId, at, ...seen } = step;
  return {
    ...evidence,
    ...judged(evidence, step.verdict),
    nodeId: nodeId ?? evidence.nodeId,
    totalSteps: evidence.totalSteps + 1,
    verdicts: [...evidence.verdicts.slice(1 - EVIDENCE_VERDICTS_MAX), step.verdict],
    steps: [...evidence.steps.slice(1 - EVIDENCE_STEPS_MAX), shortened(seen)],
    said: step.text.trim() === '' ? evidence.said : step.text.trim().slice(-SNIPPET_LENGTH_MAX),
    lastStepAt: at ?? evidence.lastStepAt,
  };
}

/** A verdict that comes by itself is about the step before it. */
export function observeVerdictOf(evidence: Evidence, verdict: Verdict): Evidence {
  const last = evidence.steps.at(-1);
  return {
    ...evidence,
    ...judged(evidence, verdict),
    ...(last && {
      verdicts: [...evidence.verdicts.slice(0, -1), verdict],
      steps: [...evidence.steps.slice(0, -1), { ...last, verdict }],
    }),
  };
}

function judged(
  { streak, hasVerdicts }: Evidence,
  verdict: Verdict,
): Pick<Evidence, 'streak' | 'hasVerdicts'> {
  if (verdict === 'ACCEPT') return { streak: 0, hasVerdicts: true };
  return NOT_JUDGED.has(verdict) ? { streak, hasVerdicts } : { streak: streak + 1, hasVerdicts: true };
}

const shortened = (step: EvidenceStep): EvidenceStep => ({
  ...step,
  text: step.text.slice(-STEP_TEXT_MAX),
  result: step.result.slice(0, STEP_TEXT_MAX),
});
