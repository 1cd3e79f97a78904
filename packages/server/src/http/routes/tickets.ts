import { type Agent, checkTicket } from '@holter/core';
import type { z } from 'zod';
import { type BookedTicket, isOpen, statsOf } from '../../judge/index.ts';
import { redact, redactValue } from '../../redaction/index.ts';
import { checkMayDecide, decidedBy, readAgent } from '../access.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  healthSummary,
  intervention,
  judgeCheck,
  judgeStats,
  newTicket,
  operatorNotified,
  sessionQuery,
  summaryQuery,
  ticket,
  ticketAnswer,
  ticketEmitted,
  ticketPage,
  ticketQuery,
} from '../schema/tickets.ts';
import type {
  HealthSummaryView,
  JudgeCheckView,
  JudgeStatsView,
  OperatorNotifiedView,
  TicketEmittedView,
  TicketPage,
  TicketView,
} from '../types.ts';
import type { HttpContext } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator'] as const;
const deciders = ['operator', 'orchestrator'] as const;
const TICKETS_DEFAULT = 100;
const CHECKS_SHOWN = 50;

/** Seed 003: what a judge knows about agents, and its tickets. */
export function ticketRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, judge, clock, newId } = deps;

  async function findTicket(ticketId: string | undefined): Promise<BookedTicket> {
    const found = ticketId === undefined ? null : await judge.tickets.find(ticketId);
    if (!found) throw problem(404, 'unknown_ticket', 'there is no ticket with this id');
    return found;
  }

  async function findSession(sessionId: string): Promise<Agent> {
    const agent = sessionId === 'auto' ? await judge.newestAtWork() : await judge.findSession(sessionId);
    if (agent) return agent;
    const message = sessionId === 'auto' ? 'no session is at work' : 'there is no such session';
    throw problem(404, 'unknown_session', message);
  }

  return [
    defineRoute({
      method: 'GET',
      url: '/v1/health-summary',
      summary: 'What a judge reads about a session, as in `get_worker_health_summary` of seed 003.',
      access: readers,
      query: summaryQuery,
      answers: {
        200: { description: 'The summary.', schema: healthSummary },
        404: { description: 'unknown_session' },
      },
      handle: async ({ query }): Promise<HealthSummaryView> => {
        const { session_id: sessionId = 'auto', last_n_steps: lastSteps } = query;
        return listed(judge.summaryOf(await findSession(sessionId), lastSteps));
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/judge/check',
      summary:
        'What the judge would say about a session now, the steps that it goes by, and what it has said. Changes nothing.',
      access: readers,
      query: sessionQuery,
      answers: {
        200: { description: 'The check.', schema: judgeCheck },
        404: { description: 'unknown_session' },
      },
      handle: async ({ query }): Promise<JudgeCheckView> => {
        const checked = judge.check(await findSession(query.session_id ?? 'auto'));
        const { summary, ticket: written, steps, checks, ...verdict } = checked;
        return {
          ...verdict,
          summary: listed(summary),
          ticket: written && listed(written),
          steps: [...steps],
          checks: checks.slice(0, CHECKS_SHOWN).map(({ agentId: _agentId, ...check }) => check),
        };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/judge/stats',
      summary: 'How many tickets there were, and how many of those with an answer were useful.',
      access: readers,
      answers: { 200: { description: 'By day, and in all.', schema: judgeStats } },
      handle: async (): Promise<JudgeStatsView> => statsOf(await judge.tickets.list()),
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/tickets',
      summary: 'Tickets, the newest first; by default those that are open.',
      access: readers,
      query: ticketQuery,
      answers: { 200: { description: 'The tickets.', schema: ticketPage } },
      handle: async ({ query }): Promise<TicketPage> => {
        const found = (await judge.tickets.list()).filter((booked) => isAskedFor(booked, query));
        return { tickets: found.slice(0, query.limit ?? TICKETS_DEFAULT).map(ticketView) };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/tickets/:ticketId',
      summary: 'One ticket.',
      access: readers,
      answers: {
        200: { description: 'The ticket.', schema: ticket },
        404: { description: 'unknown_ticket' },
      },
      handle: async ({ params }): Promise<TicketView> => ticketView(await findTicket(params.ticketId)),
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/tickets',
      summary: 'Write a ticket about an agent. Its id and time are made here; all other fields are needed.',
      access: deciders,
      body: newTicket,
      answers: {
        201: { description: 'Written, and triaged.', schema: ticketEmitted },
        400: { description: 'bad_ticket: the fields that are missing or wrong.' },
        404: { description: 'unknown_agent' },
        409: { description: 'ticket_refused: there is one about the same already, or the agent has ended.' },
      },
      handle: async ({ body, caller, reply }): Promise<TicketEmittedView> => {
        const made = { ticket_id: newId(), created_at: new Date(clock.now()).toISOString() };
        const checked = checkTicket({ ...(redactValue(body.ticket) as object), ...made });
        if (checked.kind === 'invalid') throw badTicket(checked.missing, checked.wrong);
        const agent = await readAgent(engine, checked.ticket.worker_agent_id);
        checkMayDecide(caller, agent);
        const refused = await judge.emit(agent, checked.ticket, 'reported');
        if (refused !== null) throw problem(409, 'ticket_refused', refused);
        reply.code(201);
        const { ticket_id, severity } = checked.ticket;
        return { status: 'emitted', ticket_id, severity };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/tickets/:ticketId/intervention',
      summary: 'Notify a person about a ticket that has been dismissed, or has not been triaged yet.',
      access: deciders,
      body: intervention,
      example: { analysis: 'It repeats the same call, and its last three results are equal.' },
      answers: {
        200: { description: 'A person is notified.', schema: operatorNotified },
        404: { description: 'unknown_ticket' },
        409: { description: 'ticket_refused: a person was notified already, or the ticket is closed.' },
      },
      handle: async ({ params, body, caller }): Promise<OperatorNotifiedView> => {
        const { agentId, ticket: about } = await findTicket(params.ticketId);
        checkMayDecide(caller, await readAgent(engine, agentId));
        const triage = { outcome: 'intervene', analysis: redact(body.analysis), by: 'model' } as const;
        const refused = await judge.tell(agentId, { kind: 'triage', ticketId: about.ticket_id, triage });
        if (refused !== null) throw problem(409, 'ticket_refused', refused);
        return { status: 'operator_notified', ticket_id: about.ticket_id };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/tickets/:ticketId/answer',
      summary: 'Say whether a ticket was useful or a false alarm. Only the ticket is changed by it.',
      access: deciders,
      body: ticketAnswer,
      example: { answer: 'useful' },
      answers: {
        200: { description: 'Noted; the ticket.', schema: ticket },
        404: { description: 'unknown_ticket' },
      },
      handle: async ({ params, body, caller }): Promise<TicketView> => {
        const found = await findTicket(params.ticketId);
        const { agentId } = found;
        checkMayDecide(caller, await readAgent(engine, agentId));
        const by = decidedBy(caller, body.by);
        const reason = redact(body.reason ?? '');
        await judge.answer(agentId, { ticketId: found.ticket.ticket_id, answer: body.answer, by, reason });
        return ticketView(await findTicket(params.ticketId));
      },
    }),
  ];
}

/** Schemas have lists that may be changed. */
const listed = <T extends { readonly recent_verdicts: readonly string[] }>(of: T) => ({
  ...of,
  recent_verdicts: [...of.recent_verdicts],
});

const ticketView = (booked: BookedTicket): TicketView => ({
  ...booked,
  ticket: listed(booked.ticket),
});

function isAskedFor(
  booked: BookedTicket,
  { agentId, status = 'open' }: z.infer<typeof ticketQuery>,
): boolean {
  if (agentId !== undefined && agentId !== booked.agentId) return false;
  return status === 'all' || (status === 'open' ? isOpen(booked) : status === booked.status);
}

function badTicket(missing: readonly string[], wrong: readonly string[]) {
  const parts = [
    ...(missing.length > 0 ? [`missing: ${missing.join(', ')}`] : []),
    ...(wrong.length > 0 ? [`wrong: ${wrong.join(', ')}`] : []),
  ];
  return problem(
    400,
    'bad_ticket',
    `the ticket is not complete (${parts.join('; ')})`,
    missing[0] ?? wrong[0],
  );
}
