import { type Cancellation, type Instant, RECORD_VERSION_MIN } from '@holter/core';
import { type RawBuilder, sql } from 'kysely';
import type { Row } from './connections.ts';
import { literal } from './text.ts';

/**
 * Events and changes of effects have cursors without gaps, in the order of commits: a writer takes a lock that ends with its
 * transaction, and only then reads the last cursor. It sends the rest up to `commit` in the same message, so no
 * writer waits for another one's network or for a server that has stopped. A reader needs no lock: when it sees
 * a cursor, everything before it is committed.
 */
export const LOG_LOCK = 'select pg_advisory_xact_lock(4715500)';

type Log = 'events' | 'effect_changes';

/** Pruning keeps the last cursor in `log_ends`; a counter in a row would slow down while an old transaction is open. */
const lastText = (log: Log): string =>
  `greatest((select max(cursor) from ${log}), (select last from log_ends where name = '${log}'))`;

export const lastOf = (log: Log): RawBuilder<number> => sql.raw(lastText(log));

export const selectLast = (log: Log): string => `select ${lastText(log)} as last`;

export const lastIn = (rows: readonly Row[] | undefined): number => Number(rows?.[0]?.last ?? 0);

/** `n` counts from 1 in the rows of the statement. */
export const insertEvents = (rows: string, recordVersion: number): string =>
  `insert into events (cursor, at, agent_id, type, incident_id, correlation_id, body, record_version)
   select ${lastText('events')} + n, at, agent_id, type, incident_id, correlation_id, body, ${recordVersion} from ${rows}`;

/** Follows `with changed as (… returning id, seq, created_at)`; without a time, the time of their creation counts. */
export const noteChanged = (what: string, at: Instant | null = null): string =>
  `insert into effect_changes (cursor, at, what, effect_id)
   select ${lastText('effect_changes')} + row_number() over (order by seq),
     ${at === null ? 'created_at' : literal(at)}, ${literal(what)}, id
   from changed`;

/** As `cancelledEvent` and `isCancellationKept` have it; follows the same. All versions that servers share know this event. */
export const logCancelled = (at: Instant, { code, because }: Cancellation): string =>
  `insert into events (cursor, at, agent_id, type, incident_id, correlation_id, body, record_version)
   select ${lastText('events')} + row_number() over (order by seq), ${literal(at)}, agent_id, 'EFFECT_CANCELLED',
     effect #>> '{step,incidentId}', correlation_id,
     json_build_object('at', ${literal(at)}, 'incarnation', effect -> 'incarnation', 'type', 'EFFECT_CANCELLED', 'payload',
       json_build_object('agentId', effect -> 'agentId', 'effectId', effect -> 'id', 'code', ${literal(code)}, 'because', ${literal(because)}))::text,
     ${RECORD_VERSION_MIN}
   from changed where effect ->> 'kind' <> 'notify'`;

export const KEEP_LAST = (['events', 'effect_changes'] as const).map((log) =>
  sql.raw(`update log_ends set last = ${lastText(log)} where name = '${log}'`),
);
