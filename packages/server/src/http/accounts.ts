import type { Instant } from '@holter/core';
import type { Engine } from '../engine/engine.ts';
import { type Bucket, fullBucket, takeOne } from './rate.ts';
import type { Caller } from './tokens.ts';

const ACCOUNTS_MAX = 50_000;

/**
 * A key is part of a URL, and URLs end up in logs: a ping key may report for its agent, a badge key may show one
 * picture, and neither is a token for anything else.
 */
export type KeyUse = 'ping' | 'badge';

export const keyUseOf = (tokenId: string): KeyUse | null =>
  (/^(ping|badge):/.exec(tokenId)?.[1] as KeyUse | undefined) ?? null;

/**
 * Whose limits a call counts against. All tokens of an agent count together, because it gets another one each time it
 * registers. A process of an earlier start counts apart, so that it can't use up what its successor needs; so does
 * whoever has found the URL of a ping key.
 */
export function accountOf(
  { role, agentId, tokenId, incarnation }: Caller,
  engine: Pick<Engine, 'peek'>,
): string {
  if (role !== 'agent' || agentId === null || keyUseOf(tokenId) !== null) return tokenId;
  const current = incarnation === null ? null : (engine.peek(agentId)?.hard.incarnation ?? null);
  return `agent/${agentId}${current === null || incarnation === current ? '' : '/earlier'}`;
}

/** How many requests each account has left, in the order of their last ones. */
export class Accounts {
  private readonly byName = new Map<string, { readonly bucket: Bucket; readonly perSecond: number }>();

  takeOne(account: string, perSecond: number, at: Instant): boolean {
    const bucket = this.byName.get(account)?.bucket ?? fullBucket(perSecond, at);
    this.byName.delete(account);
    this.byName.set(account, { bucket, perSecond });
    const oldest = this.byName.keys().next();
    if (this.byName.size > ACCOUNTS_MAX && !oldest.done) this.byName.delete(oldest.value);
    return takeOne(bucket, perSecond, at);
  }

  /** What another server has granted: a debt of at most one burst. */
  charge(account: string, granted: number): void {
    const known = this.byName.get(account);
    if (known) known.bucket.left -= Math.min(granted, 2 * known.perSecond);
  }
}
