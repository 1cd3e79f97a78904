import { retell } from '@holter/core';
import { mayDecideFor } from '../../intake/index.ts';
import { readerOf } from '../access.ts';
import { incidentView } from '../incident-view.ts';
import { defineRoute, type Route } from '../route.ts';
import { incidentQuery, incidentsShown } from '../schema/requests.ts';
import { incidentPage, incidentsNoticed } from '../schema/views.ts';
import type { IncidentPage, IncidentsNoticedView } from '../types.ts';
import { type HttpContext, policyOf } from './context.ts';

const INCIDENTS_DEFAULT = 100;

export function incidentRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, notices, clock } = deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/incidents',
      summary:
        'Open incidents, and notices that were not read yet. They stay unread until `POST /v1/incidents/shown`.',
      access: ['viewer', 'operator', 'orchestrator'],
      query: incidentQuery,
      answers: { 200: { description: 'A page.', schema: incidentPage } },
      handle: async ({ query, caller }): Promise<IncidentPage> => {
        const group = query.group ?? (caller.role === 'orchestrator' ? caller.group : null);
        const page = await store.listAgents({
          hasIncident: true,
          limit: query.limit ?? INCIDENTS_DEFAULT,
          ...(group !== null && { group }),
          ...(query.cursor !== undefined && { cursor: query.cursor }),
        });
        const agents = page.items.map((item) => engine.freshen(item.agent));
        const shown = new Set(
          agents.filter(({ hard }) => mayDecideFor(caller, hard.group)).map(({ hard }) => hard.agentId),
        );
        const isAbout = ({ agentId }: { agentId: string }): boolean =>
          shown.has(agentId) || (caller.role === 'operator' && query.group === undefined);
        // Notices ask for a decision, so those who may not decide are not shown them.
        const unread = caller.role === 'viewer' ? [] : (await notices.list()).filter(isAbout);
        return {
          incidents: agents.flatMap((agent) => {
            const { incident } = agent.hard;
            if (!incident) return [];
            const policy = policyOf(engine, agent);
            const now = clock.now();
            const executor = engine.executorState(agent.hard.executor);
            return [
              incidentView(retell(agent, now, engine.stalls, policy), incident, {
                policy,
                at: now,
                executor,
              }),
            ];
          }),
          notices: [...unread],
          nextCursor: page.nextCursor,
        };
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v1/incidents/shown',
      summary: 'A person was shown these incidents or notices, on a terminal or a page: they count as read.',
      access: ['operator', 'orchestrator'],
      body: incidentsShown,
      answers: {
        200: { description: 'How many notices were read by it.', schema: incidentsNoticed },
      },
      handle: async ({ body, caller, request }): Promise<IncidentsNoticedView> => {
        const incidents = new Set<string | null>(body.incidentIds);
        const shown = new Set(body.noticeIds);
        const read = new Set<string>();
        for (const { incidentId, agentId, noticeId } of await notices.list()) {
          if (!incidents.has(incidentId) && !shown.has(noticeId)) continue;
          const agent = await engine.read(agentId);
          // A notice may be about no agent, such as one about a channel.
          if (agent ? mayDecideFor(caller, agent.hard.group) : caller.role === 'operator') read.add(noticeId);
        }
        await notices.read(read, readerOf(request, caller));
        return { ok: true, noticed: read.size };
      },
    }),
  ];
}
