import type { Effect } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Receipt } from './pure-executor.ts';

/** How often an old report is sent once more, at the worst moment. */
const ECHO_SHARE = 0.5;

/**
 * Executors report until they are heard, and some report again after a restart of their own: right when the
 * next order of the same kind is out, what became of the last one, for an earlier start, comes in once more.
 */
export class ReceiptEcho {
  private readonly last = new Map<string, Effect>();

  /** An order goes out; says which old report comes in behind it, if any does. */
  behind(agent: SimAgent, effect: Effect): Receipt | null {
    const { incarnation, kind } = effect;
    if (kind !== 'terminate' && kind !== 'spawn') return null;
    const key = `${agent.slot} ${kind}`;
    const old = this.last.get(key);
    this.last.set(key, effect);
    if (old === undefined || old.incarnation === incarnation || !agent.random.chance(ECHO_SHARE)) return null;
    // A kill that is said to be done, a start that is said to have failed: either would be believed gladly.
    const outcome = kind === 'terminate' ? 'done' : 'refused';
    return { effect: old, outcome, detail: 'said again', isFromHost: true };
  }
}
