import type { Cancellation, HolterEvent, Instant } from '@holter/core';
import type { Kysely } from 'kysely';
import { cancelledEvent, isCancellationKept, OUT_OF_DATE, OVER } from '../facts.ts';
import { parseRecord } from '../sql/json.ts';
import type { Schema } from '../sql/schema.ts';
import { noteChange } from './effects.ts';
import { appendEvents, type EventRow } from './events.ts';

type Db = Kysely<Schema>;

/** What the log says of a cancelled effect. */
export type Cancelled = { readonly event: HolterEvent; readonly row: EventRow };

/** Claimed effects are left to their executor: its next claim cancels them, or its receipt settles them. */
export async function cancelOver(
  db: Db,
  lives: readonly string[],
  at: Instant,
): Promise<readonly Cancelled[]> {
  if (lives.length === 0) return [];
  const over = cancelling(db, at, OVER).where('lives_by', 'in', lives).where('status', '=', 'pending');
  return noted(db, await over.execute(), at, OVER);
}

export async function cancelOutOfDate(db: Db, at: Instant): Promise<void> {
  const late = cancelling(db, at, OUT_OF_DATE).where('until', 'is not', null).where('until', '<=', at);
  const cancelled = await noted(db, await late.execute(), at, OUT_OF_DATE);
  await appendEvents(
    db,
    cancelled.map(({ row }) => row),
  );
}

const cancelling = (db: Db, at: Instant, { because: detail }: Cancellation) =>
  db
    .updateTable('effects')
    .set({ status: 'done', outcome: 'cancelled', detail, settled_at: at })
    .where('settled_at', 'is', null)
    .returning(['seq', 'id', 'correlation_id', 'body', 'record_version']);

type Row = Awaited<ReturnType<ReturnType<typeof cancelling>['execute']>>[number];

async function noted(
  db: Db,
  rows: readonly Row[],
  at: Instant,
  cancelled: Cancellation,
): Promise<readonly Cancelled[]> {
  const all: Cancelled[] = [];
  for (const row of [...rows].sort((a, b) => a.seq - b.seq)) {
    await noteChange(db, { effect_id: row.id, what: 'settled', at });
    const effect = parseRecord('effect', row.body, row.record_version, `effect ${row.id}`);
    if (!isCancellationKept(effect)) continue;
    const event = cancelledEvent(effect, at, cancelled);
    all.push({
      event,
      row: {
        at,
        agent_id: effect.agentId,
        type: event.type,
        incident_id: effect.step?.incidentId ?? null,
        correlation_id: row.correlation_id,
        body: JSON.stringify(event),
      },
    });
  }
  return all;
}
