import { createClient } from '@holter/server/local';

/** The simulated agents have no judge: a supervisor writes one ticket that disturbs a person, and one that does not. */
export async function writeTickets({ url, token }) {
  const client = createClient({ url, token });
  const common = {
    worker_session_id: 'session-1',
    worker_node_id: 'build',
    worker_graph_id: 'checkout',
    recent_verdicts: Array.from({ length: 12 }, () => 'RETRY'),
    total_steps_checked: 167,
    stall_minutes: null,
  };
  await client.emitTicket({
    ...common,
    worker_agent_id: 'bursty-thinker-5',
    severity: 'low',
    cause: 'A slow start.',
    judge_reasoning: 'Two steps were judged, and none was accepted.',
    suggested_action: 'Wait.',
    steps_since_last_accept: 2,
    evidence_snippet: 'First I will read the plan.',
  });
  await client.emitTicket({
    ...common,
    worker_agent_id: 'deaf-3',
    severity: 'high',
    cause: '16 steps without ACCEPT, the same call again and again.',
    judge_reasoning: 'Streak 16 is within 15 to 19; the last five results are equal.',
    suggested_action: 'Restart it from its checkpoint.',
    steps_since_last_accept: 16,
    evidence_snippet: 'The build is still running. Let me look again.',
  });
}
