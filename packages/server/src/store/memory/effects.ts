import type { Instant } from '@holter/core';
import { later } from '@holter/core';
import { plainText } from '../facts.ts';
import type { Answer, Arguments } from '../operations.ts';
import type { ClaimedEffect, Settlement, StoredEffect } from '../store.ts';
import type { EffectRow, Indexes, Tables } from './tables.ts';

export function claimEffects(
  tables: Tables,
  { openEffects }: Indexes,
  ...[{ executors, at, leaseMs, limit }]: Arguments<'claimEffects'>
): readonly ClaimedEffect[] {
  const claimed: ClaimedEffect[] = [];
  for (const id of openEffects) {
    if (claimed.length >= limit) break;
    const row = tables.effects.get(id);
    if (!row || row.visibleAt > at || !executors.includes(row.effect.executor)) continue;
    const tries = row.tries + 1;
    tables.effects.set(id, { ...row, status: 'claimed', tries, visibleAt: later(at, leaseMs) });
    claimed.push({ effect: row.effect, tries, correlationId: row.correlationId });
  }
  return claimed;
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
  return 'settled';
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

export function listEffects(
  tables: Tables,
  ...[{ agentId, status, limit }]: Arguments<'listEffects'>
): readonly StoredEffect[] {
  return [...tables.effects.values()]
    .filter((row) => agentId === undefined || row.effect.agentId === agentId)
    .filter((row) => status === undefined || row.status === status)
    .reverse()
    .slice(0, limit)
    .map(storedOf);
}

function storedOf({
  effect,
  tries,
  correlationId,
  status,
  createdAt,
  outcome,
  detail,
}: EffectRow): StoredEffect {
  return { effect, tries, correlationId, status, createdAt, outcome, detail };
}
