import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { authorizationOf, sessionCookie, sessionSecret } from '../authorization.ts';
import { type Login, LoginSecrets } from '../login-secrets.ts';
import { problem } from '../problem.ts';
import { Buckets } from '../rate.ts';
import { defineRoute, type Route } from '../route.ts';
import { loginSecret, session } from '../schema/page-views.ts';
import { personName } from '../schema/parts.ts';
import { isSession } from '../tokens.ts';
import type { LoginSecretView, SessionView } from '../types.ts';
import type { HttpContext } from './context.ts';

const SESSION_MS = 7 * 24 * 3_600_000;
const readers = ['viewer', 'operator', 'orchestrator'] as const;

/** How a person's browser comes to a session: a secret that was shown in a terminal, once, for a cookie. */
export function loginRoutes({ deps, limits, tokens, hits }: HttpContext): readonly Route[] {
  const secrets = new LoginSecrets(deps);
  const guesses = new Buckets(limits.failedLoginsPerSecond);
  const wall = deps.wall ?? deps.clock;

  async function begin({ role, name }: Login, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const expiresAt = wall.now() + SESSION_MS;
    const secret = sessionSecret(deps.newSecret(), expiresAt);
    await tokens.issueSession(role, secret, name);
    reply.header('set-cookie', sessionCookie(request, secret, SESSION_MS / 1_000));
  }

  return [
    defineRoute({
      method: 'POST',
      url: '/v1/login-secrets',
      summary: 'Make a secret that opens the page once, within five minutes.',
      access: ['operator'],
      hasSecret: true,
      body: z.strictObject({
        role: z.enum(['viewer', 'operator']).default('operator'),
        name: personName.optional(),
      }),
      answers: { 201: { description: 'Made.', schema: loginSecret } },
      handle: async ({ body, caller, reply }): Promise<LoginSecretView> => {
        const made = await secrets.make({ role: body.role, name: body.name ?? caller.name });
        reply.code(201);
        return { ...made, path: `/#login=${made.secret}` };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/login',
      summary: 'Exchange such a secret for a session cookie.',
      access: 'open',
      hasSecret: true,
      body: z.strictObject({ secret: z.string().min(1).max(256) }),
      answers: {
        204: { description: 'Logged in.' },
        401: { description: 'login_refused: wrong, used or too old.' },
      },
      handle: async ({ body, request, reply }) => {
        // A right secret is never refused for the wrong ones of others at the same address.
        const isGuessing = !guesses.hasOne(request.ip, wall.now());
        const login = await secrets.take(body.secret, isGuessing);
        if (login === null) {
          if (guesses.takeOne(request.ip, wall.now()))
            throw problem(401, 'login_refused', 'this link was used before, or is older than five minutes');
          hits.note('failed_logins', request.ip);
          throw problem(429, 'too_many_requests', 'too many tries; come again in a moment');
        }
        await begin(login, request, reply);
        return reply.code(204).send();
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/session',
      summary: 'Give the session of this browser the name of the person who uses it.',
      access: readers,
      hasSecret: true,
      body: z.strictObject({ name: personName }),
      answers: {
        204: { description: 'Named.' },
        409: { description: 'not_a_session: a token keeps the name that it was made with.' },
      },
      handle: async ({ body, caller, request, reply }) => {
        const { tokenId, role } = caller;
        if (!isSession(tokenId) || (role !== 'viewer' && role !== 'operator'))
          throw problem(409, 'not_a_session', 'a token keeps the name that it was made with');
        await begin({ role, name: body.name }, request, reply);
        await tokens.revoke(tokenId);
        return reply.code(204).send();
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/logout',
      summary: 'End the session of this browser.',
      access: readers,
      hasSecret: true,
      answers: { 204: { description: 'Ended.' } },
      handle: async ({ caller, request, reply }) => {
        // Only sessions end here; a token that somebody put into a script is not a browser's to revoke.
        if (isSession(caller.tokenId)) await tokens.revoke(caller.tokenId);
        reply.header('set-cookie', sessionCookie(request, '', 0));
        return reply.code(204).send();
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/session',
      summary: 'Who is asking, and how this server keeps time.',
      access: 'open',
      answers: { 200: { description: 'Known.', schema: session }, 401: { description: 'unauthorized' } },
      handle: async ({ request }): Promise<SessionView> => {
        const { role, who, name } = await tokens.identify(authorizationOf(request, deps), request.ip);
        if (role === 'agent' || role === 'enroll' || role === 'hook')
          throw problem(403, 'forbidden', 'this token is not for people');
        const demoSpeed = deps.page?.demoSpeed ?? null;
        return { role, who, name, version: deps.version, at: deps.clock.now(), demoSpeed };
      },
    }),
  ];
}
