import { type Instant, instant, seconds } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Store } from '../store/store.ts';

const LOOK_EVERY_MS = seconds(30);
/** Faster than any clock drifts, and too slow for anybody to notice. */
const SLEW_MS_MAX = 5;
const FIRST_LOOKS = 3;
const TOLD_MS = seconds(1);

type DatabaseWatch = {
  /** The database's clock, which all servers share; this machine's where the store has none. It never steps back. */
  readonly clock: Clock;
  /** What hinders the database, as sentences. */
  readonly hindrances: () => readonly string[];
  readonly stop: () => void;
};

/**
 * Servers compare times that others have stored: leases, deadlines, beats. They take the time of the database, whose
 * difference to this machine's clock is measured at the start, and followed slowly from then on.
 */
export async function watchDatabase(
  store: Pick<Store, 'inspect'>,
  clock: Clock,
  logger: Pick<Logger, 'warn'>,
): Promise<DatabaseWatch> {
  let hindrances: readonly string[] = [];
  let cancel: () => void = () => undefined;
  let latest = instant(0);

  /** How far the database is ahead, and how long it took to ask; null where it has no clock. */
  const look = async (): Promise<{ readonly aheadMs: number; readonly tookMs: number } | null> => {
    const before = clock.now();
    const state = await store.inspect();
    const tookMs = clock.now() - before;
    if (hindrances.length === 0) for (const hindrance of state.hindrances) logger.warn(hindrance);
    hindrances = state.hindrances;
    return state.now === null ? null : { aheadMs: state.now - before - tookMs / 2, tookMs };
  };

  let best = await look();
  for (let more = 1; best !== null && more < FIRST_LOOKS; more += 1) {
    const next = await look();
    if (next && next.tookMs < best.tookMs) best = next;
  }
  let aheadMs = best?.aheadMs ?? 0;
  if (Math.abs(aheadMs) > TOLD_MS)
    logger.warn({ aheadMs: Math.round(aheadMs) }, "the clock of the database differs from this machine's");

  const again = async (): Promise<void> => {
    const seen = await look().catch(() => null);
    if (seen) aheadMs += Math.max(-SLEW_MS_MAX, Math.min(SLEW_MS_MAX, seen.aheadMs - aheadMs));
    if (!isStopped) cancel = clock.after(LOOK_EVERY_MS, () => void again());
  };
  let isStopped = false;
  if (best !== null) cancel = clock.after(LOOK_EVERY_MS, () => void again());
  return {
    clock: {
      now: (): Instant => {
        latest = instant(Math.max(latest, Math.floor(clock.now() + aheadMs)));
        return latest;
      },
      after: (ms, callback) => clock.after(ms, callback),
    },
    hindrances: () => hindrances,
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}
