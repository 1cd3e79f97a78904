import type { EscalationTicket, HealthSummary, Instant, JudgeVerdict } from '@holter/core';

export const isoOf = (at: Instant): string => new Date(at).toISOString();

type Grounds = NonNullable<JudgeVerdict['escalation']> & { readonly reasoning: string };

/** The ticket that a judge writes about what it read. */
export const ticketOf = (
  summary: HealthSummary,
  { severity, cause, suggestedAction, reasoning }: Grounds,
  { id, at }: { readonly id: string; readonly at: Instant },
): EscalationTicket => ({
  ticket_id: id,
  created_at: isoOf(at),
  worker_agent_id: summary.worker_agent_id,
  worker_session_id: summary.session_id,
  worker_node_id: summary.worker_node_id,
  worker_graph_id: summary.worker_graph_id,
  severity,
  cause,
  judge_reasoning: reasoning,
  suggested_action: suggestedAction,
  recent_verdicts: summary.recent_verdicts,
  total_steps_checked: summary.total_steps,
  steps_since_last_accept: summary.steps_since_last_accept,
  stall_minutes: summary.stall_minutes,
  evidence_snippet: summary.evidence_snippet,
});
