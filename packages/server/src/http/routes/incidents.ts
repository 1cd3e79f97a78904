import { policyFor } from '../../policy/index.ts';
import { mayDecideFor } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { incidentAsRead, incidentView } from '../incident-view.ts';
import { defineRoute, type Route } from '../route.ts';
import { incidentQuery } from '../schema/requests.ts';
import { incidentPage } from '../schema/views.ts';
import type { Caller } from '../tokens.ts';
import type { IncidentPage, NoticeView } from '../types.ts';

const INCIDENTS_DEFAULT = 100;

export function incidentRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, board, clock } = deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/incidents',
      summary:
        'Open incidents, and notices that wait to be read. Who may decide and is shown one has read it.',
      access: ['viewer', 'operator', 'orchestrator'],
      query: incidentQuery,
      answers: { 200: { description: 'A page.', schema: incidentPage } },
      handle: async ({ query, caller, reply, request }): Promise<IncidentPage> => {
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
        const notices = board.notices.filter(isAbout);
        if (caller.role !== 'viewer' && notices.length > 0) {
          const ids = new Set(notices.map(({ id }) => id));
          // Read is what has gone out, not what was about to.
          reply.raw.once('finish', () => {
            board
              .shownTo(caller.who, ({ id }) => ids.has(id))
              .catch((error: unknown) => request.log.warn({ error }, 'a notice was read, but not noted'));
          });
        }
        const readNow = new Set(caller.role === 'viewer' ? [] : notices.map(({ incidentId }) => incidentId));
        return {
          incidents: agents.flatMap((agent) => {
            const { incident, role, agentId } = agent.hard;
            if (!incident) return [];
            const policy = policyFor(engine.currentPolicies, role, agentId, agent.hard.group);
            const view = readNow.has(incident.id) ? incidentAsRead : incidentView;
            return [view(agent, incident, policy, clock.now())];
          }),
          notices: noticesFor(caller, notices),
          nextCursor: page.nextCursor,
        };
      },
    }),
  ];
}

function noticesFor(caller: Caller, notices: HttpContext['deps']['board']['notices']): NoticeView[] {
  if (caller.role === 'viewer') return [];
  return notices.map(({ id, agentId, audience, severity, message, incidentId }) => ({
    noticeId: id,
    agentId,
    audience,
    severity,
    message,
    incidentId,
  }));
}
