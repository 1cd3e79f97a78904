import type { DurationMs, Instant } from '../base/time.ts';
import { seconds } from '../base/time.ts';
import type { Stall, StallLog } from './stall.ts';
import { graceOf } from './stall.ts';

/** For an agent without beats; agents that beat more often get less. */
const GRACE_MAX = seconds(60);

/**
 * The time during which silence did not count against any agent: the stalls and the grace after each. A large share
 * means that the monitor itself needs attention.
 */
export function graceShare(stalls: StallLog, from: Instant, to: Instant): number {
  let covered = 0;
  let reached = from as number;
  for (const stall of stalls) {
    const single = { ...stall, lostMs: (stall.lostMs / stall.count) as DurationMs, count: 1 };
    const grace = graceOf(single, GRACE_MAX);
    const [start, end] = [Math.max(stall.from, reached), Math.min(stall.to + grace, to)];
    if (end <= start) continue;
    covered += (end - start) * densityOf(stall, grace);
    reached = end;
  }
  return to > from ? covered / (to - from) : 0;
}

/** In a folded entry, only a part of the time was lost. */
const densityOf = ({ from, to, lostMs, count }: Stall, grace: number): number =>
  Math.min(1, (lostMs + count * grace) / (to - from + grace));
