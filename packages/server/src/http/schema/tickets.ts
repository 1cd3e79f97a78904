import { EVIDENCE_STEPS_MAX, SNIPPET_LENGTH_MAX, TICKET_CONDITIONS, TICKET_SEVERITIES } from '@holter/core';
import { z } from 'zod';
import { agentId, identifier, line, personName, reason, time, wholeNumber } from './parts.ts';

const severity = z.enum(TICKET_SEVERITIES);
const status = z.enum(['new', 'asking', 'dismissed', 'resolved']);
const answerWord = z.enum(['useful', 'false_alarm']);

/** Seed 003, field by field. */
export const escalationTicket = z.object({
  ticket_id: z.string(),
  created_at: z.string(),
  worker_agent_id: z.string(),
  worker_session_id: z.string(),
  worker_node_id: z.string(),
  worker_graph_id: z.string(),
  severity,
  cause: z.string(),
  judge_reasoning: z.string(),
  suggested_action: z.string(),
  recent_verdicts: z.array(z.string()),
  total_steps_checked: z.number().int(),
  steps_since_last_accept: z.number().int(),
  stall_minutes: z.number().nullable(),
  evidence_snippet: z.string().max(SNIPPET_LENGTH_MAX),
});

export const ticket = z.object({
  agentId,
  at: time,
  condition: z.enum(TICKET_CONDITIONS).meta({ description: 'What it is about.' }),
  status: status.meta({
    description: '`asking`: a person was notified. `dismissed`: nobody was. `resolved`: it has passed.',
  }),
  changedAt: time,
  /** Why it has its status. */
  reason: z.string().nullable(),
  incidentId: z.string().nullable(),
  wasAsked: z.boolean().meta({ description: 'A person was notified.' }),
  answer: z
    .object({ answer: answerWord, by: z.string(), reason: z.string(), at: time })
    .nullable()
    .meta({ description: 'What a person said about it.' }),
  ticket: escalationTicket,
});

export const ticketPage = z.object({ tickets: z.array(ticket) });

export const ticketQuery = z.strictObject({
  agentId: agentId.optional().meta({ description: 'Only of this agent.' }),
  status: z
    .enum([...status.options, 'open', 'all'])
    .optional()
    .meta({ description: '`open`, the default, is `new` or `asking`.' }),
  limit: wholeNumber(1, 1_000).optional().meta({ description: 'Tickets at most; 100 unless told.' }),
});

export const ticketAnswer = z.strictObject({
  answer: answerWord,
  reason: reason.optional(),
  by: personName.optional(),
});

export const intervention = z.strictObject({
  analysis: line(1_000).meta({ description: 'Why a person should look at it; people are shown it.' }),
});

export const operatorNotified = z.object({ status: z.literal('operator_notified'), ticket_id: z.string() });

/** Its fields are checked one by one, so that the reply can name all that are missing. */
export const newTicket = z.strictObject({ ticket: z.record(z.string(), z.unknown()) });

export const ticketEmitted = z.object({
  status: z.literal('emitted'),
  ticket_id: z.string(),
  severity,
});

const session_id = identifier.optional().meta({
  description: 'An agent or a session; `auto`, the default, is the one at work that was heard last.',
});

export const sessionQuery = z.strictObject({ session_id });

export const summaryQuery = z.strictObject({
  session_id,
  last_n_steps: wholeNumber(1, 100)
    .optional()
    .meta({ description: 'How many of the newest verdicts are shown; 40 unless told.' }),
});

const checkWords = {
  verdict: z.enum(['healthy', 'warning', 'undecided', 'escalate']),
  reasoning: z.string(),
};

export const healthSummary = z.object({
  worker_agent_id: z.string(),
  worker_graph_id: z.string(),
  session_id: z.string(),
  session_status: z.string(),
  total_steps: z.number().int(),
  recent_verdicts: z.array(z.string()),
  steps_since_last_accept: z.number().int(),
  last_step_time_iso: z.string().nullable(),
  stall_minutes: z.number().nullable(),
  evidence_snippet: z.string().max(SNIPPET_LENGTH_MAX),
  worker_node_id: z.string(),
  is_at_work: z.boolean(),
  has_verdicts: z.boolean(),
  waiting_for: z.string().nullable(),
  loop: z.string().nullable(),
  fruitless: z.string().nullable(),
});

const step = z.object({
  verdict: z
    .enum(['ACCEPT', 'RETRY', 'ESCALATE', 'CONTINUE', 'COMPACTION'])
    .meta({ description: 'CONTINUE for a step that nothing has judged.' }),
  tool: z.string().nullable().meta({ description: 'What it called; null where it only said something.' }),
  text: z.string().meta({ description: 'The end of what the agent said with it.' }),
  result: z.string().meta({ description: 'The beginning of what came back.' }),
  isError: z.boolean(),
});

export const judgeCheck = z.object({
  summary: healthSummary,
  ...checkWords,
  ticket: escalationTicket.nullable().meta({ description: 'What the judge would write now.' }),
  steps: z.array(step).max(EVIDENCE_STEPS_MAX).meta({
    description: 'Its newest steps, oldest first, redacted: the conversation that led to this verdict.',
  }),
  checks: z
    .array(
      z.object({
        at: time,
        sessionId: z.string(),
        ...checkWords,
        ticketId: z.string().nullable().meta({ description: 'The ticket that was written.' }),
      }),
    )
    .meta({ description: 'The last checks by the clock, with their reasons, the newest first.' }),
});

const counts = {
  tickets: z.number().int(),
  asked: z.number().int().meta({ description: 'Tickets about which a person was notified.' }),
  useful: z.number().int(),
  falseAlarms: z.number().int(),
  precision: z.number().nullable().meta({ description: 'Share of useful ones among those with an answer.' }),
};

export const judgeStats = z.object({
  ...counts,
  days: z.array(z.object({ day: z.string(), ...counts })).meta({ description: 'Oldest first.' }),
});
