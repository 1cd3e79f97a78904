import type { EscalationTicket, TicketAct, TicketTriage } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { World } from './world.ts';

const COOLDOWN_MS = 30 * 60_000;

/** Further digits of the draw pick the act. */
const ACT_DRAWS = 1_000_033;

/** What a judge may do that knows nothing of the agents. */
const acts: readonly ((ticket: EscalationTicket) => TicketAct)[] = [
  (ticket) => emit(ticket, { outcome: 'intervene', analysis: 'it looks bad', by: 'rules' }),
  (ticket) => emit(ticket, { outcome: 'dismiss', analysis: 'it looks fine', by: 'rules' }),
  () => ({ kind: 'resolve', condition: 'no-accept', reason: 'it looks fine again' }),
];

const emit = (ticket: EscalationTicket, triage: TicketTriage): TicketAct => ({
  kind: 'emit',
  ticket,
  condition: 'no-accept',
  cooldownMs: COOLDOWN_MS,
  triage,
});

/** A judge that is always wrong writes, dismisses or resolves a ticket about one agent. */
export function judgeWrongly(world: World, draw: number): void {
  const slot = Math.floor(draw * world.slots);
  if (!world.has(slot) || world.monitor.isAway() || !world.monitor.knows(slot)) return;
  const act = acts[Math.floor((draw * ACT_DRAWS) % acts.length)];
  if (act === undefined) return;
  const { monitor, holterNow } = world;
  // Whatever time alone would do is done first, so that what follows is the ticket's doing.
  monitor.tell(slot, holterNow, { kind: 'tick' });
  monitor.tell(slot, holterNow, { kind: 'ticket', act: act(ticketOf(world.at(slot), draw)) });
}

const ticketOf = ({ name }: SimAgent, draw: number): EscalationTicket => ({
  ticket_id: `${name}-${Math.floor(draw * 1e12)}`,
  created_at: '2026-02-23T14:30:22Z',
  worker_agent_id: name,
  worker_session_id: name,
  worker_node_id: name,
  worker_graph_id: name,
  severity: 'critical',
  cause: '20 steps in a row were judged and none was accepted.',
  judge_reasoning: '20 judged steps since the last ACCEPT.',
  suggested_action: 'Stop it.',
  recent_verdicts: ['RETRY'],
  total_steps_checked: 20,
  steps_since_last_accept: 20,
  stall_minutes: null,
  evidence_snippet: '',
});
