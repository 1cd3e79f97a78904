import { assertNever } from '../base/invariant.ts';
import { later } from '../base/time.ts';
import { clearPoint, raisePoint } from '../fold/point.ts';
import type { Hard } from '../record/agent.ts';
import { forget } from '../record/copy-hard.ts';
import type { Draft } from '../record/draft.ts';
import { emit } from '../record/draft.ts';
import type { EventOf } from '../vocabulary/event.ts';
import type { DecisionRejection } from '../vocabulary/rejection.ts';
import {
  TICKET_SEVERITIES,
  type TicketAct,
  type TicketNote,
  type TicketSeverity,
  type TicketStatus,
  type TicketTriage,
} from '../vocabulary/ticket.ts';
import { tellPeople } from './change.ts';

/** A bound on the record; the oldest ticket that asks nobody goes first. */
const TICKETS_MAX = 8;

/** The seed's names of who triages; Holter has one triage and no graphs. */
const QUEEN = { queen_graph_id: 'holter', queen_stream_id: 'triage' } as const;

/**
 * A judge's ticket is an opinion. It may ask a person, by an incident of its own or beside one that rules opened, and
 * it can do nothing else: it is no evidence, and what becomes of it changes no other incident. See decision 032.
 */
export function foldTicket(draft: Draft, act: TicketAct): void {
  switch (act.kind) {
    case 'emit':
      return emitTicket(draft, act);
    case 'triage': {
      const note = draft.hard.tickets?.find(({ id }) => id === act.ticketId);
      const isAfterAll = note?.status === 'dismissed' && act.triage.outcome === 'intervene';
      if (!note || (note.status !== 'new' && !isAfterAll))
        return reject(draft, 'ticket-unknown', 'no ticket with this id waits for a triage');
      return follow(draft, note, act.triage);
    }
    case 'resolve':
      for (const note of notesOf(draft.hard))
        if (note.condition === act.condition && isOpen(note))
          settle(draft, note, 'resolved', { status: 'resolved', by: 'judge', reason: act.reason });
      return;
    case 'answer': {
      const { ticketId, answer, by, reason, cooldownMs } = act;
      const note = draft.hard.tickets?.find(({ id }) => id === ticketId);
      const isClosing = note && isOpen(note) && answer === 'false_alarm';
      if (isClosing) settle(draft, note, 'dismissed', { status: answer, by, reason });
      // An old ticket is only in the event log, where the answer belongs as well.
      else tell(draft, ticketId, { status: answer, by, reason });
      if (note && answer === 'false_alarm') quieten(draft, ticketId, cooldownMs);
      return;
    }
    default:
      return assertNever(act);
  }
}

/** A person called what was found wrong, tickets included. */
export function dismissTickets(
  draft: Draft,
  { by, reason }: { readonly by: string; readonly reason: string },
): void {
  for (const note of notesOf(draft.hard))
    if (isOpen(note)) settle(draft, note, 'dismissed', { status: 'false_alarm', by, reason });
}

/** Tickets are about a living incarnation. */
export function endTickets(draft: Draft, { tickets = [] }: Pick<Hard, 'tickets'>, reason: string): void {
  for (const note of tickets)
    if (isOpen(note)) tell(draft, note.id, { status: 'resolved', by: 'holter', reason });
  forget(draft.hard, 'tickets');
  clearPoint(draft, 'ticket');
}

function emitTicket(draft: Draft, act: Extract<TicketAct, { kind: 'emit' }>): void {
  const { hard, at } = draft;
  const { ticket, condition, cooldownMs } = act;
  const known = [...notesOf(hard)].reverse().find((note) => note.condition === condition);
  if (hard.end) return reject(draft, 'agent-ended', 'the agent has ended');
  if (known && isOpen(known))
    return reject(draft, 'ticket-known', `ticket ${known.id} about the same is open`);
  if (known && known.quietUntil > at && rank(ticket.severity) <= rank(known.severity))
    return reject(
      draft,
      'ticket-known',
      `ticket ${known.id} about the same was ${known.status} a short while ago`,
    );
  const { ticket_id: id, severity, cause } = ticket;
  const quietUntil = later(at, cooldownMs);
  const note: TicketNote = { id, condition, severity, cause, at, status: 'new', quietUntil };
  hard.tickets = bounded([...notesOf(hard), note]);
  emit(draft, {
    type: 'WORKER_ESCALATION_TICKET',
    payload: { agentId: hard.agentId, ticket, condition, incidentId: hard.incident?.id ?? null },
  });
  if (act.triage) follow(draft, note, act.triage);
}

function follow(draft: Draft, note: TicketNote, { outcome, analysis, by }: TicketTriage): void {
  if (outcome === 'dismiss')
    return settle(draft, note, 'dismissed', { status: 'dismissed', by, reason: analysis });
  const { hard } = draft;
  const { incident, agentId } = hard;
  const { id, severity, cause } = note;
  replace(draft, { ...note, status: 'asking' });
  emit(draft, {
    type: 'QUEEN_INTERVENTION_REQUESTED',
    payload: { agentId, ticket_id: id, analysis, severity, ...QUEEN, incidentId: incident?.id ?? null },
  });
  showWorst(draft);
  // Without an incident, the ladder opens one, which tells people by itself.
  const isQuiet = hard.quiet !== undefined || hard.quietFindings?.some(({ kind }) => kind === 'ticket');
  if (incident && !isQuiet)
    tellPeople(draft, incident, `ticket/${id}`, {
      severity: severity === 'critical' ? 'critical' : 'warning',
      message: `${agentId}: ${severity} ticket. ${cause} ${analysis}`,
    });
}

type Change = Pick<EventOf<'TICKET_CHANGED'>['payload'], 'status' | 'by' | 'reason'>;

function settle(draft: Draft, note: TicketNote, status: TicketStatus, change: Change): void {
  replace(draft, { ...note, status });
  quieten(draft, note.id, note.quietUntil - note.at);
  tell(draft, note.id, change);
  showWorst(draft);
}

/** However late a ticket is closed, the same condition is quiet from then on. */
function quieten({ hard, at }: Draft, ticketId: string, cooldownMs: number): void {
  const quietUntil = later(at, cooldownMs);
  hard.tickets = notesOf(hard).map((note) => (note.id === ticketId ? { ...note, quietUntil } : note));
}

function tell(draft: Draft, ticketId: string, change: Change): void {
  const { agentId } = draft.hard;
  emit(draft, { type: 'TICKET_CHANGED', payload: { agentId, ticketId, ...change } });
}

/** One finding for all tickets that ask a person. */
function showWorst(draft: Draft): void {
  const asking = notesOf(draft.hard).filter(({ status }) => status === 'asking');
  const [worst] = asking.sort((a, b) => rank(b.severity) - rank(a.severity) || a.at - b.at);
  if (!worst) return clearPoint(draft, 'ticket');
  raisePoint(draft, {
    kind: 'ticket',
    severity: 'act',
    source: 'judge',
    since: worst.at,
    evidence: `${worst.severity} ticket: ${worst.cause}`,
    threshold: 'as the judge decides',
  });
}

function replace(draft: Draft, note: TicketNote): void {
  draft.hard.tickets = notesOf(draft.hard).map((each) => (each.id === note.id ? note : each));
}

function bounded(notes: readonly TicketNote[]): readonly TicketNote[] {
  if (notes.length <= TICKETS_MAX) return notes;
  const oldest = notes.find((note) => !isOpen(note)) ?? notes[0];
  return notes.filter((note) => note !== oldest);
}

const notesOf = ({ tickets = [] }: Pick<Hard, 'tickets'>): readonly TicketNote[] => tickets;

const isOpen = ({ status }: TicketNote): boolean => status === 'new' || status === 'asking';

const rank = (severity: TicketSeverity): number => TICKET_SEVERITIES.indexOf(severity);

function reject(draft: Draft, code: DecisionRejection['code'], because: string): void {
  draft.rejection = { code, because };
}
