import type { Effect, Turn } from '@holter/core';
import type { SimAgent } from '../agents/sim-agent.ts';
import type { Ledger } from './ledger.ts';
import type { Reporter } from './violation.ts';

/** Invariant 5 for receipts: what became of an order for an earlier start is on record, and changes nothing. */
export class ReceiptWatch {
  private readonly reporter: Reporter;
  private readonly incarnations = new Map<string, number>();

  constructor(reporter: Reporter) {
    this.reporter = reporter;
  }

  wanted({ id, incarnation }: Effect): void {
    this.incarnations.set(id, incarnation);
  }

  received(agent: SimAgent, ledger: Ledger, at: number, effectId: string, result: Turn): void {
    const incarnation = this.incarnations.get(effectId);
    if (incarnation === undefined || incarnation === ledger.incarnation) return;
    const told = result.events.find(({ type }) => type !== 'EFFECT_RECEIPT');
    const done = result.effects[0];
    const change = told?.type ?? done?.kind;
    if (change !== undefined)
      this.reporter.report(
        5,
        agent,
        at,
        `a receipt for incarnation ${incarnation} (${effectId}) led to ${change}`,
      );
  }
}
