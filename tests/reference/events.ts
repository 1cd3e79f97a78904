import { EVENT_MEANINGS, type EventMeaning } from '@holter/core';
import { code, page, table } from './markdown.ts';

export function events(): string {
  const all = Object.entries(EVENT_MEANINGS) as [string, EventMeaning][];
  return page(
    'Events',
    '`packages/core/src/vocabulary/event-meanings.ts`',
    `What happened, for every subscriber: ${code('holter events')}, ${code('GET /v1/events')} (also as a stream), and the timeline of the page. Every event has ${code('at')}, ${code('type')}, ${code('agentId')}, ${code('incarnation')} and a ${code('payload')}; those that are kept have a ${code('cursor')}. ${code('folded')} in a payload counts further events of the same sort that have no row of their own.`,
    ...all.flatMap(([type, { says, payload }]) => [
      `## ${type}`,
      says,
      table(
        ['payload', 'is'],
        Object.entries(payload).map(([name, is]) => [code(name), is]),
      ),
    ]),
  );
}
