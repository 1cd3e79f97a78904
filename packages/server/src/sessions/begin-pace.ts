import type { Instant } from '@holter/core';
import { Pace } from '../intake/index.ts';

/** More than anybody starts at once, subagents included; an agent that starts more reports nothing useful. */
const LIMIT = { atOnceMax: 200, everyMs: 1_000 };

/** How many sessions and subagents one token may begin: many at once, then one each second. */
export class BeginPace {
  private readonly pace = new Pace();

  take(account: string, now: Instant): boolean {
    return this.pace.take(account, now, LIMIT);
  }
}
