import { HEALTH_RANK, type HealthState } from '@holter/core';
import { type Badge, badgeSvg } from '../badge.ts';
import { defineRoute, type Route } from '../route.ts';
import { badgeKey } from '../schema/requests.ts';
import { badgeMade } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { BadgeMadeView } from '../types.ts';
import type { HttpContext } from './context.ts';

/** Pictures for READMEs and wall screens: the state of one agent or group, by a key that shows nothing else. */
export function badgeRoutes({ deps, tokens, fleet }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/v1/badges',
      summary: 'Make a key for the badge of an agent or group.',
      access: ['operator'],
      hasSecret: true,
      example: { agentId: 'ada' },
      body: badgeKey,
      answers: { 201: { description: 'The key; it is shown only now.', schema: badgeMade } },
      handle: async ({ body, reply }): Promise<BadgeMadeView> => {
        const { agentId, group } = body;
        const { secret } = await tokens.issue({
          role: 'viewer',
          use: 'badge',
          ...(agentId !== undefined && { agentId }),
          ...(group !== undefined && { group }),
        });
        reply.code(201);
        return {
          agentId: agentId ?? null,
          group: group ?? null,
          key: secret,
          path: `/badge/${secret}.svg`,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/badge/:key.svg',
      summary: 'The badge of an agent or group: its name and its state.',
      access: 'open',
      hasHead: true,
      answers: {
        200: { description: 'The picture.', type: 'image/svg+xml' },
        404: { description: 'unknown_key' },
      },
      handle: async ({ params, request, reply }): Promise<string> => {
        const caller = await tokens.identifyKey(params.key ?? '', request.ip, 'badge');
        const badge = await badgeOf(caller);
        reply.header('content-type', 'image/svg+xml; charset=utf-8');
        reply.header('content-security-policy', "default-src 'none'");
        return badgeSvg(badge);
      },
    }),
  ];

  async function badgeOf({ agentId, group }: Caller): Promise<Badge> {
    if (group !== null) {
      await fleet.ready();
      return groupBadge(group, fleet.countsOf(group));
    }
    const agent = await deps.engine.read(agentId ?? '');
    const state = agent?.hard.health;
    return { label: agentId ?? '', text: state?.toLowerCase() ?? 'unknown', colour: state ?? 'unknown' };
  }
}

/** The colour is that of the worst; agents that have ended count only where no other is left. */
function groupBadge(group: string, counts: ReadonlyMap<HealthState, number>): Badge {
  const states = [...counts.keys()].sort((one, other) => HEALTH_RANK[other] - HEALTH_RANK[one]);
  const living = states.filter((state) => state !== 'TERMINATED');
  const shown = living.length > 0 ? living : states;
  const text = shown.map((state) => `${counts.get(state)} ${state.toLowerCase()}`).join(', ');
  return { label: group, text: text || 'no agents', colour: shown[0] ?? 'unknown' };
}
