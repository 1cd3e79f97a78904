import { uptime } from 'node:os';
import type { ProcessIdentity } from './process-table.ts';

/** USER_HZ is 100 on every architecture that Node runs on. */
const MS_PER_TICK = 10;

/** When a process was started, on the clock that `now` was read from; null if its system words it otherwise. */
export function startedAtOf({ startedAt }: Pick<ProcessIdentity, 'startedAt'>, now: number): number | null {
  if (/^\d+$/.test(startedAt)) return Math.min(now, now - uptime() * 1_000 + Number(startedAt) * MS_PER_TICK);
  const date = Date.parse(startedAt);
  return Number.isFinite(date) ? Math.min(now, date) : null;
}
