import { z } from 'zod';
import { agentIdOf, readAgent } from '../access.ts';
import { FLEET_SORTS } from '../fleet/fleet-order.ts';
import { FleetStream, type FleetWindow, fleetPage } from '../fleet/fleet-stream.ts';
import { BIN_MS, BINS } from '../fleet/pulse.ts';
import { defineRoute, type Route } from '../route.ts';
import { fleetPage as fleetPageSchema, pulse } from '../schema/page-views.ts';
import { agentId, healthState, label, wholeNumber } from '../schema/parts.ts';
import type { FleetPageView, PulseView } from '../types.ts';
import type { HttpContext } from './context.ts';

const readers = ['viewer', 'operator', 'orchestrator'] as const;
const ROWS_DEFAULT = 100;

const fleetQuery = z.strictObject({
  state: healthState.optional().describe('Only agents in this state.'),
  group: label.optional().describe('Only agents of this group.'),
  agentId: agentId.optional().describe('Only this agent.'),
  q: z.string().max(128).optional().meta({ description: 'Part of an id, role or group.' }),
  foldAbove: wholeNumber(0, 1_000_000).optional().meta({
    description: 'Of more agents than this, those that are well or have ended are left out.',
  }),
  sort: z.enum(FLEET_SORTS).optional().describe('The order of the rows; worst first unless told.'),
  offset: wholeNumber(0, 1_000_000).optional().describe('Rows before the window.'),
  limit: wholeNumber(0, 500).optional().describe('Rows of the window.'),
});

/** The fleet as a page shows it: counted, ordered and cut on this side, and kept up to date. */
export function fleetRoutes({ deps, fleet, places }: HttpContext): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/fleet',
      summary: 'A window on the fleet, worst first unless told, with counts for the whole.',
      access: readers,
      query: fleetQuery,
      answers: { 200: { description: 'The window.', schema: fleetPageSchema } },
      handle: ({ query }): Promise<FleetPageView> => fleetPage(deps, fleet, windowOf(query)),
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/fleet/live',
      summary: 'The same, kept up to date: an event `page`, then `delta` with what changed.',
      access: readers,
      query: fleetQuery,
      answers: {
        200: { description: 'Server-sent events.', type: 'text/event-stream' },
        429: { description: 'too_many_streams' },
      },
      handle: async ({ query, request, reply, caller }): Promise<undefined> => {
        await fleet.ready();
        const out = reply.raw;
        const leave = places.take(request, caller, out, () => stream.close());
        const stream: FleetStream = new FleetStream({ deps, book: fleet, out }, windowOf(query), leave);
        reply.hijack();
        await stream.start();
        return undefined;
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v1/agents/:id/pulse',
      summary: 'The last hour of one agent in half minutes, and its newest calls.',
      access: readers,
      answers: { 200: { description: 'Oldest first.', schema: pulse } },
      handle: async ({ params, caller }): Promise<PulseView> => {
        const agentId = agentIdOf(params, caller);
        await fleet.ready();
        await readAgent(deps.engine, agentId);
        const entry = fleet.entry(agentId);
        const at = deps.clock.now();
        const newestCalls = [...(entry?.calls ?? [])].reverse();
        const table = entry?.pulse.table(at) ?? { beats: [], calls: [], errors: [], tokens: [], states: [] };
        return {
          at,
          binMs: BIN_MS,
          from: (Math.floor(at / BIN_MS) - BINS + 1) * BIN_MS,
          ...table,
          newestCalls,
        };
      },
    }),
  ];
}

function windowOf(query: z.infer<typeof fleetQuery>): FleetWindow {
  const { sort = 'worst', offset = 0, limit = ROWS_DEFAULT, ...filter } = query;
  return { ...filter, sort, offset, limit };
}
