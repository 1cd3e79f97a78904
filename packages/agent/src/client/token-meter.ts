import type { SignalBody } from '@holter/core';

export type TokenUse = {
  /** Tokens used since the last report. */
  readonly tokens: number;
  /** Cost since the last report. */
  readonly costUsd?: number;
  /** Share of the context window in use now, 0 to 1. */
  readonly contextUse?: number;
};

/**
 * Running totals of this incarnation. The host reports what it used since the last report; the wire carries sums,
 * so that a lost or repeated request does not change the total.
 */
export class TokenMeter {
  total = 0;
  hasNews = false;
  private costUsd = 0;
  private contextUse: number | null = null;
  /** What was reported for the current incarnation. */
  private told = { total: 0, costUsd: 0 };

  /** Returns whether the reported values were valid numbers. */
  add({ tokens, costUsd = 0, contextUse }: TokenUse): boolean {
    if (![tokens, costUsd].every((n) => Number.isFinite(n) && n >= 0)) return false;
    this.total += Math.round(tokens);
    this.costUsd += costUsd;
    if (contextUse !== undefined) this.contextUse = contextUse;
    this.hasNews = true;
    return true;
  }

  /** A new incarnation counts from zero. */
  startOver(): void {
    this.total -= this.told.total;
    this.costUsd -= this.told.costUsd;
    this.told = { total: 0, costUsd: 0 };
  }

  takeNews(): SignalBody | null {
    if (!this.hasNews) return null;
    this.hasNews = false;
    const { total, costUsd, contextUse } = this;
    this.told = { total, costUsd };
    return { kind: 'tokens', total, costUsd, ...(contextUse !== null && { contextUse }) };
  }
}
