import { between, type Instant, minutes } from '../base/time.ts';
import { SNIPPET_LENGTH_MAX } from '../vocabulary/ticket.ts';
import type { Evidence } from './evidence.ts';

/**
 * The answer of `get_worker_health_summary`. The first ten fields are Hive's; the others say what Hive's summary left
 * to guess.
 */
export type HealthSummary = {
  readonly worker_agent_id: string;
  readonly worker_graph_id: string;
  readonly session_id: string;
  readonly session_status: string;
  readonly total_steps: number;
  readonly recent_verdicts: readonly string[];
  readonly steps_since_last_accept: number;
  readonly last_step_time_iso: string | null;
  /** Minutes since the last step, with one decimal; null below one minute, and while the session waits. */
  readonly stall_minutes: number | null;
  readonly evidence_snippet: string;
  readonly worker_node_id: string;
  readonly is_at_work: boolean;
  /** Whether its steps are judged by a judge of its own. */
  readonly has_verdicts: boolean;
  readonly waiting_for: string | null;
  readonly loop: string | null;
  readonly fruitless: string | null;
};

export const LAST_STEPS_DEFAULT = 40;

type SummaryContext = {
  readonly at: Instant;
  readonly lastSteps?: number;
  readonly isoOf: (at: Instant) => string;
};

export function summarize(evidence: Evidence, context: SummaryContext): HealthSummary {
  const { at, lastSteps = LAST_STEPS_DEFAULT, isoOf } = context;
  const { verdicts, lastStepAt, waitingFor, isAtWork } = evidence;
  const isStallable = isAtWork && waitingFor === null && lastStepAt !== null;
  const recent = lastSteps > 0 ? verdicts.slice(-lastSteps) : [];
  return {
    worker_agent_id: evidence.agentId,
    worker_graph_id: evidence.graphId,
    session_id: evidence.sessionId,
    session_status: evidence.status,
    total_steps: evidence.totalSteps,
    recent_verdicts: recent,
    steps_since_last_accept: evidence.streak,
    last_step_time_iso: lastStepAt === null ? null : isoOf(lastStepAt),
    stall_minutes: isStallable ? stallMinutes(lastStepAt, at) : null,
    evidence_snippet: snippetOf(evidence),
    worker_node_id: evidence.nodeId,
    is_at_work: isAtWork,
    has_verdicts: evidence.hasVerdicts,
    waiting_for: waitingFor,
    loop: evidence.loop,
    fruitless: evidence.fruitless,
  };
}

/** Rounded down, so that a stall is never named before it has lasted as long. */
function stallMinutes(lastStepAt: Instant, at: Instant): number | null {
  const tenths = Math.floor((between(lastStepAt, at) * 10) / minutes(1));
  return tenths < 10 ? null : tenths / 10;
}

/** What the agent last said, or else the last result. */
const snippetOf = ({ said, steps }: Evidence): string =>
  (said === '' ? (steps.at(-1)?.result.trim() ?? '') : said).slice(0, SNIPPET_LENGTH_MAX);
