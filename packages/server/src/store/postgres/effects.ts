import type { Cancellation, Effect, Instant } from '@holter/core';
import { downcast, EFFECT_URGENCY, RECORD_VERSION } from '@holter/core';
import { sql } from 'kysely';
import { OUT_OF_DATE, OVER, refuseOlder } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import { parseRecord } from '../sql/json.ts';
import type { ClaimedEffect, EffectOffer, Settlement } from '../store.ts';
import type { Connections } from './connections.ts';
import { LOG_LOCK, lastOf, logCancelled, noteChanged } from './log.ts';
import { JSON_TEXT, literal, literals, rowsOf } from './text.ts';

type ClaimedRow = {
  readonly seq: number;
  readonly id: string;
  readonly urgency: number;
  readonly tries: number;
  readonly correlation_id: string;
  readonly body: string;
  readonly record_version: number;
};

/** An effect that another server is claiming is left to it. */
export async function claimEffects(
  connections: Connections,
  ...[{ executors, at, leaseMs, limit, seen = 0 }]: Arguments<'claimEffects'>
): Promise<readonly ClaimedEffect[]> {
  const { db } = connections;
  const { rows: state } = await sql<{ readonly last: number; readonly has_expired: boolean }>`
    select ${lastOf('events')} as last,
      exists (select 1 from effects where settled_at is null and until <= ${at}) as has_expired`.execute(db);
  refuseOlder(state[0]?.last ?? 0, seen);
  if (state[0]?.has_expired)
    await connections.write([LOG_LOCK, cancel(at, OUT_OF_DATE, `until <= ${literal(at)}`)]);
  const named = executors.filter((executor) => executor !== null);
  // Effects written by a newer Holter are left to it.
  const { rows } = await sql<ClaimedRow>`
    update effects set status = 'claimed', tries = tries + 1, visible_at = ${at + leaseMs}
    where seq in (
      select seq from effects
      where settled_at is null and visible_at <= ${at} and (until is null or until > ${at})
        and record_version <= ${RECORD_VERSION}
        and (executor = any(${named}::text[]) or (executor is null and ${executors.includes(null)}))
      order by urgency, seq limit ${limit} for update skip locked)
    returning seq, id, urgency, tries, correlation_id, body, record_version`.execute(db);
  return [...rows]
    .sort((a, b) => a.urgency - b.urgency || a.seq - b.seq)
    .map((row) => ({
      effect: parseRecord('effect', row.body, row.record_version, `effect ${row.id}`),
      tries: row.tries,
      correlationId: row.correlation_id,
    }));
}

export async function settleEffect(
  connections: Connections,
  effectId: string,
  { at, outcome, detail, isDead }: Settlement,
): Promise<Answer<'settleEffect'>> {
  const id = literal(effectId);
  const [, settled, known] = await connections.write([
    LOG_LOCK,
    `with changed as (
       update effects set status = '${isDead ? 'dead' : 'done'}', outcome = ${literal(outcome)},
         detail = ${literal(detail)}, settled_at = ${literal(at)}
       where id = ${id} and settled_at is null returning id, seq)
     ${noteChanged('settled', at)} returning effect_id`,
    `select 1 from effects where id = ${id}`,
  ]);
  if (settled?.length) return 'settled';
  return known?.length ? 'already-settled' : 'unknown';
}

/** Offering again is no change. */
export async function offerEffect(
  connections: Connections,
  effectId: string,
  { at, againAt, detail, tries }: EffectOffer,
): Promise<void> {
  await connections.write([
    LOG_LOCK,
    `with found as (
       select seq, is_offered from effects
       where id = ${literal(effectId)} and settled_at is null
         ${tries === undefined ? '' : `and tries = ${literal(tries)}`} for update
     ), offered as (
       update effects set status = 'pending', visible_at = ${literal(againAt)}, detail = ${literal(detail)},
         is_offered = 1
       from found where effects.seq = found.seq returning id, effects.seq, found.is_offered as was_offered
     ), changed as (select id, seq from offered where was_offered = 0)
     ${noteChanged('offered', at)}`,
  ]);
}

/**
 * Claimed effects are left to their executor: its next claim cancels them, or its receipt settles them. Returns what
 * the log says of those that it cancels.
 */
export const cancelOver = (lives: readonly string[], at: Instant): string =>
  cancel(at, OVER, `status = 'pending' and lives_by in (${literals(lives)})`);

const cancel = (at: Instant, cancelled: Cancellation, condition: string): string =>
  `with changed as (
     update effects set status = 'done', outcome = 'cancelled', detail = ${literal(cancelled.because)}, settled_at = ${literal(at)}
     where settled_at is null and ${condition} returning id, seq, agent_id, correlation_id, body::json as effect),
   noted as (${noteChanged('settled', at)})
   ${logCancelled(at, cancelled)} returning body`;

export type NewEffect = {
  readonly effect: Effect;
  readonly at: Instant;
  readonly correlationId: string;
};

const NEW_COLUMNS = {
  n: 'integer',
  id: 'text',
  agent_id: 'text',
  executor: 'text',
  created_at: 'double precision',
  correlation_id: 'text',
  lives_by: 'text',
  until: 'double precision',
  urgency: 'integer',
  body: JSON_TEXT,
} as const;

/**
 * What a statement with these parts adds, if there is a row in the part `condition`. An existing id is the same decision
 * repeated; its stored status is kept. Needs the lock of the log.
 */
export function effectParts(
  ordered: readonly NewEffect[],
  recordVersion: number,
  condition: string | null = null,
): string {
  const rows = ordered.map(({ effect, at, correlationId }, n) => ({
    n,
    id: effect.id,
    agent_id: effect.agentId,
    executor: effect.executor,
    created_at: at,
    correlation_id: correlationId,
    lives_by: effect.livesBy,
    until: effect.until ?? null,
    urgency: EFFECT_URGENCY[effect.kind],
    body: JSON.stringify(downcast('effect', effect, recordVersion)),
  }));
  return `changed as (
     insert into effects (id, agent_id, executor, status, visible_at, tries, created_at, detail, correlation_id,
       lives_by, until, urgency, body, record_version)
     select id, agent_id, executor, 'pending', 0, 0, created_at, '', correlation_id, lives_by, until, urgency, body,
       ${recordVersion} from ${rowsOf(NEW_COLUMNS, rows)}
     ${condition === null ? '' : `where exists (select from ${condition})`} order by n
     on conflict (id) do nothing returning id, seq, created_at),
   noted as (${noteChanged('ordered')})`;
}
