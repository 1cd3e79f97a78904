import { RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { EventQuery, StoredEvent } from '../store.ts';
import { parseRecord } from './json.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

export async function readEvents(db: Db, query: EventQuery): Promise<readonly StoredEvent[]> {
  const { types, limit } = query;
  // One index can't return several types in order, so each type is read separately and the pages are merged.
  if (types && types.length !== 1 && query.agentId === undefined && query.incidentId === undefined) {
    const pages: StoredEvent[] = [];
    for (const type of new Set(types)) pages.push(...(await readEvents(db, { ...query, types: [type] })));
    const isBackwards = query.before !== undefined;
    return pages.sort((a, b) => (isBackwards ? b.cursor - a.cursor : a.cursor - b.cursor)).slice(0, limit);
  }
  const rows = await eventsOf(db, query).execute();
  return rows.map((row) => ({
    cursor: row.cursor,
    correlationId: row.correlation_id,
    agentId: row.agent_id,
    event: parseRecord('event', row.body, row.record_version, `event ${row.cursor}`),
  }));
}

function eventsOf(db: Db, { after, before, limit, agentId, types, incidentId }: EventQuery) {
  let wanted = db
    .selectFrom('events')
    .select(['cursor', 'correlation_id', 'agent_id', 'body', 'record_version'])
    .where('cursor', '>', after)
    .where('record_version', '<=', RECORD_VERSION)
    .orderBy('cursor', before === undefined ? 'asc' : 'desc')
    .limit(limit);
  if (before !== undefined) wanted = wanted.where('cursor', '<', before);
  if (agentId !== undefined) wanted = wanted.where('agent_id', '=', agentId);
  if (incidentId !== undefined) wanted = wanted.where('incident_id', '=', incidentId);
  if (types === undefined) return wanted;
  const isNarrow = agentId !== undefined || incidentId !== undefined;
  // The expression keeps the database from using the type index where another index is far more selective.
  return isNarrow ? wanted.where(sql`(type || '')`, 'in', types) : wanted.where('type', 'in', types);
}
