import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { newToken } from '../schema/requests.ts';
import { tokenMade, tokenPage } from '../schema/views.ts';
import type { TokenMadeView, TokenPage } from '../types.ts';
import { tokenView } from '../views.ts';
import type { HttpContext } from './context.ts';

/** Roles of people; the others belong to programs. */
const PERSONS: readonly string[] = ['viewer', 'operator', 'orchestrator'];

export function tokenRoutes({ deps, tokens }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/tokens',
      summary: 'Make a token. Its secret is shown only now.',
      access: ['operator'],
      hasSecret: true,
      example: { role: 'orchestrator', group: 'web' },
      body: newToken,
      answers: { 201: { description: 'Made.', schema: tokenMade } },
      handle: async ({ body, reply }): Promise<TokenMadeView> => {
        const { role, agentId, group, user, name } = body;
        if ((role === 'agent') !== (agentId !== undefined))
          throw problem(400, 'bad_value', 'agentId is for the role agent, and needed there', 'agentId');
        if ((role === 'orchestrator') !== (group !== undefined))
          throw problem(400, 'bad_value', 'group is for the role orchestrator, and needed there', 'group');
        if ((role === 'hook') !== (user !== undefined))
          throw problem(400, 'bad_value', 'user is for the role hook, and needed there', 'user');
        if (name !== undefined && !PERSONS.includes(role))
          throw problem(400, 'bad_value', `name is for the roles ${PERSONS.join(', ')}`, 'name');
        const { id, secret, createdAt } = await tokens.issue({
          role,
          ...(agentId !== undefined && { agentId }),
          ...(group !== undefined && { group }),
          ...(user !== undefined && { user }),
          ...(name !== undefined && { name }),
        });
        reply.code(201);
        return {
          tokenId: id,
          role,
          agentId: agentId ?? null,
          group: group ?? null,
          user: user ?? null,
          name: name ?? null,
          createdAt,
          revokedAt: null,
          token: secret,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/tokens',
      summary: 'All tokens, without their secrets.',
      access: ['operator'],
      answers: { 200: { description: 'All of them.', schema: tokenPage } },
      handle: async (): Promise<TokenPage> => ({ tokens: (await deps.store.listTokens()).map(tokenView) }),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v1/tokens/:tokenId',
      summary: 'Revoke a token, at once.',
      access: ['operator'],
      answers: { 204: { description: 'Revoked.' }, 404: { description: 'unknown_token' } },
      handle: async ({ params, reply }) => {
        if (!(await tokens.revoke(params.tokenId ?? '')))
          throw problem(404, 'unknown_token', 'there is no such token, or it was revoked before');
        return reply.code(204).send();
      },
    }),
  ];
}
