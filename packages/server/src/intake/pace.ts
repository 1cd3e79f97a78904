import type { Instant } from '@holter/core';

const ACCOUNTS_MAX = 10_000;

/** How often each account may do something: many times at once, then one each `everyMs`. */
export class Pace {
  /** By account: when all that was done will have been paid for. */
  private readonly paidAt = new Map<string, number>();

  take(
    account: string,
    now: Instant,
    { atOnceMax, everyMs }: { readonly atOnceMax: number; readonly everyMs: number },
  ): boolean {
    const paidAt = Math.max(this.paidAt.get(account) ?? 0, now) + everyMs;
    if (paidAt - now > atOnceMax * everyMs) return false;
    this.paidAt.delete(account);
    this.paidAt.set(account, paidAt);
    const oldest = this.paidAt.keys().next().value;
    if (this.paidAt.size > ACCOUNTS_MAX && oldest !== undefined) this.paidAt.delete(oldest);
    return true;
  }
}
