import type { Agent } from '@holter/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { boxNameOf, listInPages, type Visitor } from '../../post/index.ts';
import type { LetterBox } from '../../store/letters.ts';
import { agentIdOf, unknownAgent } from '../access.ts';
import { authorizationOf } from '../authorization.ts';
import { MailStream } from '../mail-stream.ts';
import { letterView, mailAgentView, sentView, summaryView } from '../mail-view.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import * as schema from '../schema/mail.ts';
import type { Caller } from '../tokens.ts';
import { type HttpContext, policyOf } from './context.ts';

const LETTERS_DEFAULT = 25;
const LETTERS_MAX = 1_000;
/** Of a letter with everything around it. */
const LETTER_BYTES_MAX = 128 * 1024;
const WRITERS = ['agent', 'operator'] as const;
const READERS = ['viewer', 'operator', 'orchestrator'] as const;

const MARKS = { read: 'read', archive: 'archived', acknowledge: 'acknowledged' } as const;

/** `token`: on the main port. `none`: on the port for agents of seed 001, which have none. */
type Door = 'token' | 'none';

type Call = { readonly request: FastifyRequest; readonly caller: Caller };

/** The message server of seed 001 and of AI Maestro. */
export function mailRoutes(context: HttpContext, door: Door): readonly Route[] {
  const { deps, tokens, places, limits, listing } = context;
  const { engine, store, office, clock } = deps;
  const visitorOf = (caller: Caller): Visitor => (door === 'none' ? null : caller);
  const access = (roles: Exclude<Route['access'], 'open'>) => (door === 'none' ? 'open' : roles);

  async function answer(query: z.infer<typeof schema.mailQuery>, { request, caller }: Call) {
    const visitor = visitorOf(caller);
    const { id, action, status, priority, from, to, before } = query;
    const of = ownIfNone(query.agent, visitor, 'agent');
    const box: LetterBox['box'] = action === 'sent' ? 'sent' : query.box;
    const some = query.verified === undefined ? {} : { isVerified: query.verified === 'true' };
    const count = (box: LetterBox['box']) => office.count({ of, box, ...some }, visitor);
    if (action === 'resolve') return resolved(of);
    if (action === 'search') return { results: await search(of) };
    if (id !== undefined) return letterView(await office.read({ of, box }, id, visitor));
    if (action === 'unread-count') return { count: (await count('inbox')).unread };
    if (action === 'sent-count') return { count: (await count('sent')).total };
    if (action === 'stats') return { ...(await count('inbox')) };
    const limit = query.limit ?? LETTERS_DEFAULT;
    const other = box === 'inbox' ? from : to;
    const listed = {
      of,
      box,
      ...some,
      limit: limit === 0 ? LETTERS_MAX : limit,
      ...(status && { status }),
      ...(priority && { priority }),
      ...(other !== undefined && { other }),
      ...(before !== undefined && { before }),
    };
    const waitMs = (query.wait ?? 0) * 1_000;
    const leave = waitMs > 0 ? places.takeWait(caller) : () => undefined;
    try {
      const wait = { waitMs, isGone: () => isGone(request) };
      return { messages: await listInPages(office, listed, [visitor, wait], summaryView), limit };
    } finally {
      leave();
    }
  }

  const isGone = async (request: FastifyRequest): Promise<boolean> =>
    request.raw.destroyed || (door === 'token' && !(await tokens.isValid(authorizationOf(request, deps))));

  async function openStream(
    of: string,
    { request, reply, caller }: Call & { readonly reply: FastifyReply },
  ): Promise<void> {
    const visitor = visitorOf(caller);
    const begin = await office.connect(of, visitor);
    const out = reply.raw;
    const leave = places.take(request, caller, out, (why) => stream.close(why));
    const hangUp = begin();
    const stream = new MailStream(out, lastLetterOf(request), {
      clock,
      bytesMax: limits.streamBytesMax,
      next: (after, wait) => office.follow(of, after, visitor, wait),
      onClose: (end) => {
        leave();
        hangUp(end);
      },
    });
    reply.hijack();
    stream.start();
  }

  /** Whose box or name it is; a caller without a token has none of its own. */
  function ownIfNone(name: string | undefined, visitor: Visitor, field: string): string {
    const found = name ?? office.ownNameOf(visitor);
    if (found === null) throw problem(400, 'missing_field', `${field} is missing`, field);
    return boxNameOf(found);
  }

  const statusOf = (agent: Agent, unread: number) =>
    mailAgentView(agent, {
      now: clock.now(),
      policy: policyOf(engine, agent),
      stalls: engine.stalls,
      unread,
    });

  async function resolved(name: string) {
    if (name !== office.name && !(await office.agentOf(name))) throw unknownAgent(name);
    return { resolved: { agentId: name, name } };
  }

  async function search(text: string) {
    const { items } = await store.listAgents({ text, limit: LETTERS_DEFAULT });
    return items.map(({ agent: { hard } }) => ({ agentId: hard.agentId, name: hard.agentId }));
  }

  return [
    defineRoute({
      method: 'POST',
      url: '/api/messages',
      summary: 'Send a letter.',
      access: access([...WRITERS, 'orchestrator']),
      bodyBytesMax: LETTER_BYTES_MAX,
      example: {
        from: 'ada',
        to: 'ecos-chief-of-staff',
        subject: 'Done',
        content: { type: 'response', message: 'All tests pass.' },
      },
      body: schema.newLetter,
      answers: {
        201: {
          description:
            'It is in the box of its recipient; or Holter has heard it, and `notes` say that its own full box did not keep it.',
          schema: schema.sent,
        },
        404: { description: 'agent_not_found', schema: schema.letterFailure },
        409: {
          description: 'agent_offline: it is stored (`stored`, `id`) and waits for the recipient.',
          schema: schema.letterFailure,
        },
      },
      handle: async ({ body, caller, reply }): Promise<z.infer<typeof schema.sent>> => {
        const { inReplyTo = null, clientId = null } = body;
        const visitor = visitorOf(caller);
        // It is no agent, and has one name.
        const from =
          visitor?.role === 'orchestrator'
            ? `orchestrator:${visitor.group}`
            : ownIfNone(body.from, visitor, 'from');
        const sent = await office.send(
          { ...body, from, to: boxNameOf(body.to), inReplyTo, clientId },
          visitor,
        );
        reply.code(201);
        return sentView(sent);
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/api/messages',
      summary: 'Letters of one box, newest first; one letter; or how many there are.',
      access: access([...READERS, 'agent']),
      query: schema.mailQuery,
      answers: {
        200: { description: 'As the query asks.', schema: schema.mailAnswer },
        429: { description: 'too_many_streams: one that waits counts as a stream.' },
      },
      handle: ({ query, ...call }) => answer(query, call),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/messages/stream',
      summary:
        'Server-sent events: the unread letters of a box, oldest first, and each that comes. With `Last-Event-ID` it goes on after that letter.',
      access: access([...READERS, 'agent']),
      query: schema.streamedBox,
      answers: {
        200: { description: 'Events `letter`, each a whole letter.', type: 'text/event-stream' },
        429: { description: 'too_many_streams' },
      },
      handle: ({ query, ...call }) =>
        openStream(ownIfNone(query.agent, visitorOf(call.caller), 'agent'), call),
    }),
    defineRoute({
      method: 'PATCH',
      url: '/api/messages',
      summary: 'Mark a letter as read, archived or acknowledged.',
      access: access(WRITERS),
      query: schema.letterMark,
      answers: { 200: { description: 'It is marked.', schema: schema.done } },
      handle: async ({ query, caller }): Promise<z.infer<typeof schema.done>> => {
        const visitor = visitorOf(caller);
        const of = ownIfNone(query.agent, visitor, 'agent');
        await office.mark(of, query.id, MARKS[query.action], visitor);
        return { success: true };
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/messages',
      summary: 'Delete a letter from the box that it is in.',
      access: access(WRITERS),
      query: schema.letterPlace,
      answers: { 200: { description: 'It is gone.', schema: schema.done } },
      handle: async ({ query, caller }): Promise<z.infer<typeof schema.done>> => {
        const visitor = visitorOf(caller);
        await office.remove(ownIfNone(query.agent, visitor, 'agent'), query.id, visitor);
        return { success: true };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/api/messages/forward',
      summary: 'Pass a letter on from the box that it is in.',
      access: access(WRITERS),
      body: schema.forwarded,
      answers: {
        201: { description: 'It is in the box of its recipient.', schema: schema.sent },
        409: {
          description: 'forward_loop: it has been there already.',
          schema: schema.letterFailure,
        },
      },
      handle: async ({ body, caller, reply }): Promise<z.infer<typeof schema.sent>> => {
        const { messageId: letterId, to, note } = body;
        const visitor = visitorOf(caller);
        const from = ownIfNone(body.from, visitor, 'from');
        const sent = await office.forward({ from, to: boxNameOf(to), note, letterId }, visitor);
        reply.code(201);
        return sentView(sent);
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/api/agents',
      summary: 'All agents with their status; of more than a hundred at most a second old.',
      access: access(READERS),
      answers: { 200: { description: 'All of them.', schema: schema.mailAgents } },
      handle: async ({ reply }) => {
        reply.header('content-type', 'application/json; charset=utf-8');
        return reply.send(await listing.read());
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/api/agents/:id/status',
      summary: 'Whether an agent is online (seed 001 §1.6).',
      access: access([...READERS, 'agent']),
      answers: {
        200: { description: 'As far as it is known.', schema: schema.mailAgent },
        404: { description: 'not_found: no agent has this name.', schema: schema.letterFailure },
      },
      handle: async ({ params, caller, reply }) => {
        const agentId = agentIdOf(params, caller);
        const agent = await engine.read(agentId);
        if (!agent) {
          reply.code(404);
          const message = `no agent with the name ${agentId}`;
          return { session_name: agentId, status: 'not_found', error: 'agent_not_found', message };
        }
        const { unread } = await store.countLetters({ of: agentId, box: 'inbox' });
        return statusOf(agent, unread);
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/api/agents/:id/heartbeat',
      summary: 'The agent lives.',
      access: access(['agent']),
      body: schema.mailBeat,
      example: { status: 'busy' },
      answers: { 200: { description: 'Heard.', schema: schema.done } },
      handle: async ({ params, caller, body }): Promise<z.infer<typeof schema.done>> => {
        const visitor = visitorOf(caller);
        const status = (['healthy', 'busy', 'degraded'] as const).find((known) => known === body.status);
        await office.beat(agentIdOf(params, caller), visitor, {
          role: body.role,
          ...(body.host !== undefined && { host: body.host }),
          ...(status !== undefined && { status }),
        });
        return { success: true };
      },
    }),
  ];
}

/** An id that is no letter's is as good as none. */
function lastLetterOf({ headers }: FastifyRequest): string | null {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : null;
}
