import type { Instant } from '@holter/core';

/** More than anybody starts at once, subagents included; an agent that starts more reports nothing useful. */
const AT_ONCE_MAX = 200;
const THEN_EVERY_MS = 1_000;
const ACCOUNTS_MAX = 10_000;

/** How many sessions and subagents one token may begin: many at once, then one each second. */
export class BeginPace {
  /** By account: when all that was begun will have been paid for, at one per second. */
  private readonly paidAt = new Map<string, number>();

  take(account: string, now: Instant): boolean {
    const paidAt = Math.max(this.paidAt.get(account) ?? 0, now) + THEN_EVERY_MS;
    if (paidAt - now > AT_ONCE_MAX * THEN_EVERY_MS) return false;
    this.paidAt.delete(account);
    this.paidAt.set(account, paidAt);
    const oldest = this.paidAt.keys().next().value;
    if (this.paidAt.size > ACCOUNTS_MAX && oldest !== undefined) this.paidAt.delete(oldest);
    return true;
  }
}
