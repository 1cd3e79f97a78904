import { type Agent, ASKING_STEPS, escalationMessage, readyInWords, retell } from '@holter/core';
import { mayDecideFor } from '../../intake/index.ts';
import { readerOf } from '../access.ts';
import { incidentView } from '../incident-view.ts';
import { defineRoute, type Route } from '../route.ts';
import { incidentQuery, incidentsShown } from '../schema/requests.ts';
import { incidentPage, incidentsNoticed } from '../schema/views.ts';
import type { IncidentPage, IncidentsNoticedView, IncidentView } from '../types.ts';
import { UsableCheckpoints } from '../usable-checkpoints.ts';
import { type HttpContext, policyOf } from './context.ts';

const INCIDENTS_DEFAULT = 100;
/** Checkpoints are read whole; a page that shows more incidents than this asks for the agent. */
const CHECKED_MAX = 20;

export function incidentRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, notices, clock } = deps;
  const usable = new UsableCheckpoints(deps);

  async function viewsOf(agents: readonly Agent[]): Promise<readonly IncidentView[]> {
    const asking = agents.filter(({ hard }) => hard.incident && ASKING_STEPS.has(hard.incident.step));
    const checked = new Set(asking.slice(0, CHECKED_MAX));
    const views = agents.map(async (agent) => {
      const { incident, executor } = agent.hard;
      if (!incident) return [];
      const policy = policyOf(engine, agent);
      const checkpoints = checked.has(agent) ? await usable.of(agent) : null;
      const at = clock.now();
      const context = { policy, at, executor: engine.executorState(executor), checkpoints };
      return [incidentView(retell(agent, at, engine.stalls, policy), incident, context)];
    });
    return (await Promise.all(views)).flat();
  }

  /** The notice that asks for a decision, as it is now: what may be decided, by whom, and from where. */
  function askedNow<Notice extends { readonly noticeId: string; readonly message: string }>(
    notice: Notice,
    agents: readonly Agent[],
    views: readonly IncidentView[],
  ): Notice {
    const view = views.find(({ incidentId, step, attempt }) => {
      return step === 'escalate' && notice.noticeId === `${incidentId}/${step}/${attempt}`;
    });
    const agent = agents.find(({ hard }) => hard.agentId === view?.agentId);
    if (!view || !agent) return notice;
    const at = clock.now();
    const policy = policyOf(engine, agent);
    const { hard } = retell(agent, at, engine.stalls, policy);
    const asked = escalationMessage({ hard, policy, at }, engine.isStarterGone(hard.executor));
    return { ...notice, message: `${asked} ${readyInWords(view.ready, view.ready.checkpoints, at)}` };
  }

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
        const incidents = await viewsOf(agents);
        return {
          incidents: [...incidents],
          notices: unread.map((notice) => askedNow(notice, agents, incidents)),
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
