import type { Cancellation, HolterEvent, Instant } from '@holter/core';
import { EFFECT_URGENCY, later } from '@holter/core';
import { cancelledEvent, isCancellationKept, OUT_OF_DATE, plainText } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import type { ClaimedEffect, EffectChange, EffectOffer, Settlement, StoredEffect } from '../store.ts';
import type { EffectRow, Indexes, Tables } from './tables.ts';

export function claimEffects(
  tables: Tables,
  indexes: Indexes,
  ...[{ executors, at, leaseMs, limit }]: Arguments<'claimEffects'>
): readonly ClaimedEffect[] {
  const ready: EffectRow[] = [];
  const outOfDate: Cancelled[] = [];
  for (const id of indexes.openEffects) {
    const row = tables.effects.get(id);
    if (!row) continue;
    if (row.effect.until !== undefined && row.effect.until <= at)
      outOfDate.push(cancelEffect(tables, indexes, row, at, OUT_OF_DATE));
    else if (row.visibleAt <= at && executors.includes(row.effect.executor)) ready.push(row);
  }
  logCancelled(tables, outOfDate);
  const urgencyOf = ({ effect }: EffectRow): number => EFFECT_URGENCY[effect.kind];
  const claimed = ready.sort((a, b) => urgencyOf(a) - urgencyOf(b)).slice(0, limit);
  return claimed.map((row) => {
    const { effect, correlationId } = row;
    const tries = row.tries + 1;
    tables.effects.set(effect.id, { ...row, status: 'claimed', tries, visibleAt: later(at, leaseMs) });
    return { effect, tries, correlationId };
  });
}

export function renewEffects(tables: Tables, ...[claims, until]: Arguments<'renewEffects'>): void {
  for (const { effectId, tries } of claims) {
    const row = tables.effects.get(effectId);
    if (row?.status === 'claimed' && row.tries === tries)
      tables.effects.set(effectId, { ...row, visibleAt: until });
  }
}

export function settleEffect(
  tables: Tables,
  { openEffects }: Indexes,
  effectId: string,
  { at, outcome, detail, isDead }: Settlement,
): Answer<'settleEffect'> {
  const row = tables.effects.get(effectId);
  if (!row) return 'unknown';
  if (row.settledAt !== null) return 'already-settled';
  openEffects.delete(effectId);
  tables.effects.set(effectId, {
    ...row,
    status: isDead ? 'dead' : 'done',
    outcome,
    detail: plainText(detail),
    settledAt: at,
  });
  noteChange(tables, effectId, 'settled', at);
  return 'settled';
}

export type Cancelled = { readonly row: EffectRow; readonly at: Instant; readonly why: Cancellation };

export function cancelEffect(
  tables: Tables,
  indexes: Indexes,
  row: EffectRow,
  at: Instant,
  why: Cancellation,
): Cancelled {
  settleEffect(tables, indexes, row.effect.id, { at, outcome: 'cancelled', detail: why.because });
  return { row, at, why };
}

export function logCancelled(tables: Tables, all: readonly Cancelled[]): readonly HolterEvent[] {
  return all
    .filter(({ row }) => isCancellationKept(row.effect))
    .map(({ row: { effect, correlationId }, at, why }) => {
      const event = cancelledEvent(effect, at, why);
      const { agentId, step } = effect;
      tables.lastCursor += 1;
      const cursor = tables.lastCursor;
      tables.events.push({ cursor, correlationId, agentId, event, incidentId: step?.incidentId ?? null });
      return event;
    });
}

export function retryEffect(
  tables: Tables,
  effectId: string,
  retryAt: Instant,
  detail: string,
  tries: number | undefined,
): void {
  const row = tables.effects.get(effectId);
  if (!row || row.settledAt !== null) return;
  if (tries !== undefined && row.tries !== tries) return;
  tables.effects.set(effectId, { ...row, status: 'pending', visibleAt: retryAt, detail: plainText(detail) });
}

export function offerEffect(
  tables: Tables,
  effectId: string,
  { at, againAt, detail, tries }: EffectOffer,
): void {
  const row = tables.effects.get(effectId);
  if (!row || row.settledAt !== null) return;
  if (tries !== undefined && row.tries !== tries) return;
  tables.effects.set(effectId, {
    ...row,
    status: 'pending',
    isOffered: true,
    visibleAt: againAt,
    detail: plainText(detail),
  });
  if (!row.isOffered) noteChange(tables, effectId, 'offered', at);
}

/** In commit order, which here is the order of the calls. */
export function noteChange(tables: Tables, effectId: string, what: EffectChange['what'], at: Instant): void {
  tables.lastEffectChange += 1;
  tables.effectChanges.push({ cursor: tables.lastEffectChange, what, effectId, at });
}

export function readEffectChanges(
  tables: Tables,
  ...[{ after, limit }]: Arguments<'readEffectChanges'>
): readonly EffectChange[] {
  return tables.effectChanges
    .filter(({ cursor, effectId }) => cursor > after && tables.effects.has(effectId))
    .slice(0, limit)
    .map(({ cursor, what, effectId }) => ({
      cursor,
      what,
      stored: storedOf(tables.effects.get(effectId) as EffectRow),
    }));
}

export function listEffects(
  tables: Tables,
  ...[{ agentId, status, isOffered, isOpen, limit }]: Arguments<'listEffects'>
): readonly StoredEffect[] {
  return [...tables.effects.values()]
    .filter((row) => agentId === undefined || row.effect.agentId === agentId)
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => isOffered === undefined || (row.isOffered && row.settledAt === null))
    .filter((row) => !isOpen || row.settledAt === null)
    .reverse()
    .slice(0, limit)
    .map(storedOf);
}

export function readEffect(tables: Tables, effectId: string): StoredEffect | null {
  const row = tables.effects.get(effectId);
  return row ? storedOf(row) : null;
}

function storedOf({
  effect,
  tries,
  correlationId,
  status,
  createdAt,
  outcome,
  detail,
  isOffered,
}: EffectRow): StoredEffect {
  return { effect, tries, correlationId, status, createdAt, outcome, detail, isOffered };
}
