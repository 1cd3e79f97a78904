import type { HolterEvent, Instant } from '@holter/core';
import { type Kysely, sql } from 'kysely';
import { CHECKPOINTS_KEPT } from '../facts.ts';
import type { Answer } from '../operations.ts';
import type { EventQuery, StoredEvent } from '../store.ts';
import { parse } from './json.ts';
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
    event: parse<HolterEvent>(row.body, `event ${row.cursor}`),
  }));
}

function eventsOf(db: Db, { after, before, limit, agentId, types, incidentId }: EventQuery) {
  let wanted = db
    .selectFrom('events')
    .select(['cursor', 'correlation_id', 'agent_id', 'body'])
    .where('cursor', '>', after)
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

/** Old events, settled effects and checkpoints, oldest first, so that an index finds them; an open incident keeps what belongs to its agent. */
export async function prune(db: Db, before: Instant, limit: number): Promise<Answer<'prune'>> {
  const busy = db.selectFrom('agents').select('agent_id').where('has_incident', '=', 1);
  const oldEvents = db
    .selectFrom('events')
    .select('cursor')
    .where('at', '<', before)
    .where('agent_id', 'not in', busy)
    .orderBy('at')
    .orderBy('cursor')
    .limit(limit);
  const events = await db.deleteFrom('events').where('cursor', 'in', oldEvents).executeTakeFirstOrThrow();
  const removed = Number(events.numDeletedRows);
  const oldEffects = db
    .selectFrom('effects')
    .select('seq')
    .where('settled_at', '<', before)
    .where('agent_id', 'not in', busy)
    .orderBy('settled_at')
    .orderBy('seq')
    .limit(limit - removed);
  const effects = await db.deleteFrom('effects').where('seq', 'in', oldEffects).executeTakeFirstOrThrow();
  const settled = Number(effects.numDeletedRows);
  const oldCheckpoints = db
    .selectFrom('checkpoints as old')
    .select('old.seq')
    .where('old.at', '<', before)
    .where('old.agent_id', 'not in', busy)
    // As many newer ones as are kept: found by stepping over all but one of them.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('checkpoints as newer')
          .select('newer.seq')
          .whereRef('newer.agent_id', '=', 'old.agent_id')
          .whereRef('newer.seq', '>', 'old.seq')
          .limit(1)
          .offset(CHECKPOINTS_KEPT - 1),
      ),
    )
    .orderBy('old.at')
    .orderBy('old.seq')
    .limit(limit - removed - settled);
  const checkpoints = await db
    .deleteFrom('checkpoints')
    .where('seq', 'in', oldCheckpoints)
    .executeTakeFirstOrThrow();
  const pruned = removed + settled + Number(checkpoints.numDeletedRows);
  return { pruned, hasMore: pruned >= limit };
}
