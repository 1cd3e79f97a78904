import { RECORD_VERSION } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import type { EventQuery, StoredEvent } from '../store.ts';
import { parseRecord } from './json.ts';
import type { Schema } from './schema.ts';

type Db = Kysely<Schema>;

export async function readEvents(db: Db, query: EventQuery): Promise<readonly StoredEvent[]> {
  const { types, limit } = query;
  // A list of types can't be read off one index in order: each type is, and the pages are put together.
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
  // The plus keeps SQLite from choosing the index of types where another one finds far fewer rows.
  return isNarrow ? wanted.where(sql`+type`, 'in', types) : wanted.where('type', 'in', types);
}

/** The last that was given out: it stays when its event is pruned. */
export async function lastCursor(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly seq: number }>`
    select seq from sqlite_sequence where name = 'events'`.execute(db);
  return rows[0]?.seq ?? 0;
}
