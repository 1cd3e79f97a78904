import { parseIsoTime } from '../base/iso-time.ts';
import { type EscalationTicket, SNIPPET_LENGTH_MAX, TICKET_SEVERITIES } from '../vocabulary/ticket.ts';

export type TicketCheck =
  | { readonly kind: 'valid'; readonly ticket: EscalationTicket }
  | { readonly kind: 'invalid'; readonly missing: readonly string[]; readonly wrong: readonly string[] };

const TEXT_MAX = 4_000;
const VERDICTS_MAX = 1_000;

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= TEXT_MAX;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const FIELDS: Readonly<Record<keyof EscalationTicket, (value: unknown) => boolean>> = {
  ticket_id: isText,
  created_at: (value) => typeof value === 'string' && parseIsoTime(value) !== undefined,
  worker_agent_id: isText,
  worker_session_id: isText,
  worker_node_id: isText,
  worker_graph_id: isText,
  severity: (value) => TICKET_SEVERITIES.some((each) => each === value),
  cause: isText,
  judge_reasoning: isText,
  suggested_action: isText,
  recent_verdicts: (value) =>
    Array.isArray(value) && value.length <= VERDICTS_MAX && value.every((each) => typeof each === 'string'),
  total_steps_checked: isCount,
  steps_since_last_accept: isCount,
  stall_minutes: (value) => value === null || (typeof value === 'number' && value >= 0 && value < 1e9),
  evidence_snippet: (value) => typeof value === 'string' && value.length <= SNIPPET_LENGTH_MAX,
};

/** A ticket with all 15 fields, or the names of those that are missing or wrong. Other fields are dropped. */
export function checkTicket(value: unknown): TicketCheck {
  const given =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const names = Object.keys(FIELDS) as (keyof EscalationTicket)[];
  const missing = names.filter((name) => !Object.hasOwn(given, name) || given[name] === undefined);
  const wrong = names.filter((name) => !missing.includes(name) && !FIELDS[name](given[name]));
  if (missing.length > 0 || wrong.length > 0) return { kind: 'invalid', missing, wrong };
  const ticket = Object.fromEntries(names.map((name) => [name, given[name]]));
  return { kind: 'valid', ticket: ticket as EscalationTicket };
}
