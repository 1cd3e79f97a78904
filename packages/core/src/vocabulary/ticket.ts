import type { Instant } from '../base/time.ts';

export const TICKET_SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type TicketSeverity = (typeof TICKET_SEVERITIES)[number];

/** Seed 003: what a judge hands to a person. All fields are required. */
export type EscalationTicket = {
  readonly ticket_id: string;
  readonly created_at: string;
  readonly worker_agent_id: string;
  readonly worker_session_id: string;
  readonly worker_node_id: string;
  readonly worker_graph_id: string;
  readonly severity: TicketSeverity;
  /** What the judge observed. */
  readonly cause: string;
  /** Why it decided to escalate. */
  readonly judge_reasoning: string;
  readonly suggested_action: string;
  readonly recent_verdicts: readonly string[];
  readonly total_steps_checked: number;
  readonly steps_since_last_accept: number;
  readonly stall_minutes: number | null;
  /** The end of what the agent last said, at most `SNIPPET_LENGTH_MAX` characters. */
  readonly evidence_snippet: string;
};

export const SNIPPET_LENGTH_MAX = 500;

/** What a ticket is about; an agent has at most one open ticket for each. */
export const TICKET_CONDITIONS = ['no-accept', 'stall', 'fruitless', 'reported'] as const;
export type TicketCondition = (typeof TICKET_CONDITIONS)[number];

/** The second look at a ticket: whether a person is disturbed. */
export type TicketTriage = {
  readonly outcome: 'intervene' | 'dismiss';
  readonly analysis: string;
  readonly by: 'rules' | 'model';
};

export type TicketAnswer = 'useful' | 'false_alarm';

/**
 * `new`: not triaged yet. `asking`: a person was notified. `dismissed`: nobody was. `resolved`: its condition is over.
 */
export type TicketStatus = 'new' | 'asking' | 'dismissed' | 'resolved';

/** What an agent's record keeps of a ticket; the ticket itself is in the event log. */
export type TicketNote = {
  readonly id: string;
  readonly condition: TicketCondition;
  readonly severity: TicketSeverity;
  readonly cause: string;
  readonly at: Instant;
  readonly status: TicketStatus;
  /**
   * Once it is closed: until then the same condition makes no further ticket, unless it gets worse. While it is open,
   * its distance from `at` says how long that will be.
   */
  readonly quietUntil: Instant;
};

/** What may happen to an agent's tickets. */
export type TicketAct =
  | {
      readonly kind: 'emit';
      readonly ticket: EscalationTicket;
      readonly condition: TicketCondition;
      readonly cooldownMs: number;
      /** Absent if a model is to be asked first. */
      readonly triage?: TicketTriage;
    }
  | { readonly kind: 'triage'; readonly ticketId: string; readonly triage: TicketTriage }
  /** The judge no longer sees the condition. */
  | { readonly kind: 'resolve'; readonly condition: TicketCondition; readonly reason: string }
  | {
      readonly kind: 'answer';
      readonly ticketId: string;
      readonly answer: TicketAnswer;
      readonly by: string;
      readonly reason: string;
      /** How long a false alarm keeps the same condition quiet, from now on. */
      readonly cooldownMs: number;
    };
