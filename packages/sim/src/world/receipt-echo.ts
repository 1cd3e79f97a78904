import type { Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { SentReceipt } from './outbox.ts';

/** How often an old receipt is repeated at that moment. */
const ECHO_SHARE = 0.5;

/**
 * Executors repeat a receipt until it is acknowledged, and some repeat it after a restart of their own. The worst
 * moment is right after the next effect of the same kind, for a later incarnation, was ordered.
 */
export class ReceiptEcho {
  private readonly last = new Map<string, Effect>();

  /** An effect was ordered; returns the old receipt that follows it, if one does. */
  behind(agent: SimAgent, effect: Effect): SentReceipt | null {
    const { incarnation, kind } = effect;
    if (kind !== 'terminate' && kind !== 'spawn') return null;
    const key = `${agent.slot} ${kind}`;
    const old = this.last.get(key);
    this.last.set(key, effect);
    if (old === undefined || old.incarnation === incarnation || !agent.random.chance(ECHO_SHARE)) return null;
    // Whichever would change most if it were taken for the new one.
    const outcome = kind === 'terminate' ? 'done' : 'refused';
    return { effect: old, outcome, detail: 'said again', isFromHost: true };
  }
}
