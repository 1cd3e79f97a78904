import { EVENT_TYPES, type EventType } from '@holter/core';
import { nearest } from '../../policy/index.ts';
import { readEventPage } from '../event-page.ts';
import type { StreamFilter } from '../event-stream.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { type EventQueryInput, eventQuery } from '../schema/requests.ts';
import { eventPage } from '../schema/views.ts';
import type { EventPage } from '../types.ts';
import { eventView } from '../views.ts';
import type { HttpContext } from './context.ts';

const EVENTS_DEFAULT = 100;

export function eventRoutes({ deps, streams }: HttpContext): readonly Route[] {
  const { store } = deps;
  return [
    defineRoute({
      method: 'GET',
      url: '/v1/events',
      summary:
        'What happened, in the order of the commits. With `Accept: text/event-stream` it goes on; with `Last-Event-ID` it goes on where it was.',
      access: ['viewer', 'operator', 'orchestrator'],
      query: eventQuery,
      answers: {
        200: {
          description: 'A page of at most 1 MiB of events; ask again after `nextCursor` while `hasMore`.',
          schema: eventPage,
        },
        429: { description: 'too_many_streams' },
      },
      handle: async ({ request, reply, query, caller }): Promise<EventPage | undefined> => {
        const filter = filterOf(query);
        if (!(request.headers.accept ?? '').includes('text/event-stream')) {
          const after = query.after ?? 0;
          const { before, limit = EVENTS_DEFAULT } = query;
          const { events, hasMore } = await readEventPage(store, {
            ...filter,
            after,
            limit,
            ...(before !== undefined && { before }),
          });
          const nextCursor = events.at(-1)?.cursor ?? before ?? after;
          return { events: events.map(eventView), nextCursor, hasMore };
        }
        const last = await store.lastCursor();
        // An id from beyond the end is of another database; from there nothing would ever come.
        const after = Math.min(lastIdOf(request.headers['last-event-id']) ?? query.after ?? last, last);
        streams.open(request, caller, reply, { filter, after });
        return undefined;
      },
    }),
  ];
}

function lastIdOf(header: string | readonly string[] | undefined): number | null {
  if (header === undefined || header === '') return null;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header))
    throw problem(400, 'bad_value', 'Last-Event-ID must be an id of this stream', 'Last-Event-ID');
  return Number(header);
}

function filterOf({ agentId, type, incidentId }: EventQueryInput): StreamFilter {
  const types = type === undefined ? undefined : [type].flat().flatMap((names) => names.split(','));
  return {
    ...(agentId !== undefined && { agentId }),
    ...(incidentId !== undefined && { incidentId }),
    ...(types && { types: types.map(eventTypeOf) }),
  };
}

/** A filter that nothing can match is a slip of the pen. */
function eventTypeOf(name: string): EventType {
  const type = EVENT_TYPES.find((each) => each === name);
  if (type) return type;
  const meant = nearest(name, EVENT_TYPES);
  const next = meant ? `did you mean ${meant}?` : `there are ${EVENT_TYPES.join(', ')}`;
  throw problem(400, 'unknown_event_type', `there is no such type of event; ${next}`, 'type');
}
