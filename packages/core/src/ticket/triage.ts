import type { EscalationTicket, TicketTriage } from '../vocabulary/ticket.ts';
import type { HealthSummary } from './health-summary.ts';

/** Seed 003: below it, a `low` ticket is no reason to disturb anybody. */
const LOW_STREAK = 8;
const STREAK = 10;
const STALL_MINUTES = 4;

type TriageVerdict = TicketTriage | { readonly outcome: 'undecided'; readonly analysis: string };

/**
 * The second look at a ticket, by seed 003's criteria: dismiss what has passed, disturb a person about what has not.
 * `now` is the session as it is at this moment; null if it is not known.
 */
export function triageTicket(ticket: EscalationTicket, now: HealthSummary | null): TriageVerdict {
  const { severity, steps_since_last_accept: streak, stall_minutes: stall } = ticket;
  const passed = now && whyPassed(ticket, now);
  if (passed) return dismiss(passed);
  if (severity === 'high' || severity === 'critical') return intervene(`The ticket is ${severity}.`);
  if (stall !== null && stall > STALL_MINUTES) return intervene(`No step for ${stall} min.`);
  if (streak >= STREAK) return intervene(`${streak} steps without ACCEPT, and no sign of recovery.`);
  if (now?.loop) return intervene(`It repeats itself: ${now.loop}`);
  if (severity === 'low' && streak < LOW_STREAK)
    return dismiss(`The ticket is low, and ${streak} steps without ACCEPT are fewer than ${LOW_STREAK}.`);
  return { outcome: 'undecided', analysis: 'The ticket meets no criterion for disturbing a person yet.' };
}

/** In the undecided band, rules disturb nobody: the ticket stays visible, and a worse one follows if it gets worse. */
export function triageByRules(ticket: EscalationTicket, now: HealthSummary | null): TicketTriage {
  const verdict = triageTicket(ticket, now);
  return verdict.outcome === 'undecided' ? dismiss(verdict.analysis) : verdict;
}

function whyPassed(ticket: EscalationTicket, now: HealthSummary): string | null {
  if (now.session_id !== ticket.worker_session_id) return null;
  if (!now.is_at_work) return `The session is ${now.session_status}.`;
  const steps = now.total_steps - ticket.total_steps_checked;
  if (steps <= 0) return null;
  if (now.steps_since_last_accept < ticket.steps_since_last_accept)
    return 'A step was accepted since: it makes progress again.';
  const isStallOnly = ticket.stall_minutes !== null && ticket.steps_since_last_accept < STREAK;
  return isStallOnly ? `It has made ${steps} steps since: the stall is over.` : null;
}

const dismiss = (analysis: string): TicketTriage => ({ outcome: 'dismiss', analysis, by: 'rules' });
const intervene = (analysis: string): TicketTriage => ({ outcome: 'intervene', analysis, by: 'rules' });
