import { type Agent, instant } from '@holter/core';
import { agentIdOf, readAgent } from '../access.ts';
import { effectView } from '../effect-view.ts';
import { defineRoute, type Route } from '../route.ts';
import { effectPage } from '../schema/effects.ts';
import { agentQuery, effectQuery, limitQuery, rollupQuery } from '../schema/requests.ts';
import { agent, agentPage, finalStatePage, probe, rollupPage } from '../schema/views.ts';
import type { AgentPage, AgentView, EffectPage, FinalStatePage, ProbeView, RollupPage } from '../types.ts';
import { UsableCheckpoints } from '../usable-checkpoints.ts';
import { finalStateView, needsNothing, rollupView } from '../views.ts';
import { type HttpContext, viewOf } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator'] as const;
const AGENTS_DEFAULT = 100;
const EFFECTS_DEFAULT = 50;
const FINAL_STATES_DEFAULT = 10;
const DAY_MS = 24 * 3_600_000;

/** Reading: how the agents are, what was done about them, and how the last hours were. */
export function agentRoutes({ deps }: HttpContext): readonly Route[] {
  const { engine, store, clock } = deps;
  const usable = new UsableCheckpoints(deps);
  const withCheckpoints = async (shown: Agent): Promise<AgentView> =>
    viewOf(deps, shown, needsNothing(shown.hard) ? null : await usable.of(shown));
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/agents',
      summary: 'All agents, by id, a page at a time.',
      access: readers,
      query: agentQuery,
      answers: { 200: { description: 'A page.', schema: agentPage } },
      handle: async ({ query }): Promise<AgentPage> => {
        const { state, group, q, incident, cursor, limit } = query;
        const page = await store.listAgents({
          limit: limit ?? AGENTS_DEFAULT,
          ...(state && { health: state }),
          ...(group !== undefined && { group }),
          ...(q !== undefined && q !== '' && { text: q }),
          ...(incident && { hasIncident: incident === 'open' }),
          ...(cursor !== undefined && { cursor }),
        });
        return {
          agents: page.items.map((item) => viewOf(deps, engine.freshen(item.agent))),
          nextCursor: page.nextCursor,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id',
      summary: 'One agent: its state, what is found against it, and what comes next.',
      access: [...readers, 'agent'],
      answers: { 200: { description: 'The agent.', schema: agent } },
      handle: async ({ params, caller }): Promise<AgentView> =>
        withCheckpoints(await readAgent(engine, agentIdOf(params, caller))),
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/probe',
      summary: 'For load balancers: 200 while the agent is HEALTHY or DEGRADED, else 503.',
      access: [...readers, 'agent'],
      hasHead: true,
      answers: {
        200: { description: 'It can be given work.', schema: probe },
        503: { description: 'It is STUCK, FAILING or TERMINATED.', schema: probe },
      },
      handle: async ({ params, caller, reply }): Promise<ProbeView> => {
        const { hard } = await readAgent(engine, agentIdOf(params, caller));
        const isHealthy = hard.health === 'HEALTHY' || hard.health === 'DEGRADED';
        reply.code(isHealthy ? 200 : 503);
        return { agentId: hard.agentId, state: hard.health, isHealthy };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/final-states',
      summary: 'How its starts ended, the newest first.',
      access: readers,
      query: limitQuery,
      answers: { 200: { description: 'The newest ones.', schema: finalStatePage } },
      handle: async ({ params, caller, query }): Promise<FinalStatePage> => {
        const agentId = agentIdOf(params, caller);
        const { hard } = await readAgent(engine, agentId);
        const limit = query.limit ?? FINAL_STATES_DEFAULT;
        const states = await store.listFinalStates(agentId, limit);
        // Its newest start is archived only when the next one begins, or its incident is closed.
        const isNewestThere = !hard.end || states.some(({ incarnation }) => incarnation === hard.incarnation);
        const all = isNewestThere ? states : [hard, ...states].slice(0, limit);
        return { finalStates: all.map(finalStateView) };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/effects',
      summary: 'What Holter wanted done for this agent and what became of it, newest first.',
      access: readers,
      query: effectQuery,
      answers: { 200: { description: 'A page.', schema: effectPage } },
      handle: async ({ params, caller, query }): Promise<EffectPage> => {
        const agentId = agentIdOf(params, caller);
        const { hard } = await readAgent(engine, agentId);
        const effects = await store.listEffects({
          agentId,
          limit: query.limit ?? EFFECTS_DEFAULT,
          ...(query.status && { status: query.status }),
        });
        const context = { hard, executor: engine.executorState(hard.executor) };
        return { effects: effects.map((effect) => effectView(effect, context)) };
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/rollups',
      summary: 'Hours in numbers; the last day unless told.',
      access: readers,
      query: rollupQuery,
      answers: { 200: { description: 'One row for each hour and agent.', schema: rollupPage } },
      handle: async ({ query }): Promise<RollupPage> => {
        const now = clock.now();
        const to = instant(Math.min(query.to ?? now, now));
        const from = instant(query.from ?? to - DAY_MS);
        const { agentId } = query;
        const rollups = await store.rollups({ from, to, ...(agentId !== undefined && { agentId }) });
        return { rollups: rollups.map(rollupView) };
      },
    }),
  ];
}
