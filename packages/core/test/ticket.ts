import type { EscalationTicket } from '../src/vocabulary/ticket.ts';

export const ticketOf = (fields: Partial<EscalationTicket> = {}): EscalationTicket => ({
  ticket_id: 'ticket-1',
  created_at: '2026-02-23T14:30:22Z',
  worker_agent_id: 'ada',
  worker_session_id: 's1',
  worker_node_id: 'node',
  worker_graph_id: 'graph',
  severity: 'high',
  cause: '16 steps in a row were judged and none was accepted.',
  judge_reasoning: '16 judged steps since the last ACCEPT (high from 15).',
  suggested_action: 'Read its last steps, and tell it what is missing.',
  recent_verdicts: ['ACCEPT', 'RETRY'],
  total_steps_checked: 47,
  steps_since_last_accept: 16,
  stall_minutes: null,
  evidence_snippet: 'Let me try that again.',
  ...fields,
});
