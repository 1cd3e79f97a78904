import { hours, type Instant, later, minutes } from '@holter/core';
import type { Clock } from '../engine/clock.ts';
import type { EngineHealth } from '../engine/engine-options.ts';
import type { Logger } from '../logging/logger.ts';
import type { Operations } from '../policy/index.ts';
import type { Cutoffs, Store } from '../store/store.ts';

const EVERY_MS = hours(1);
const FIRST_AFTER_MS = minutes(1);
/** A batch holds the store's writer for some milliseconds, so batches are small and far apart. */
const BATCH_MAX = 500;
const PAUSE_MS = 250;
/** With more waiting than this the engine needs the store for itself. */
const QUEUE_MAX = 100;
const TICK_LAG_MS_MAX = 500;
const BUSY_PAUSE_MS = 5_000;

type HousekeepingContext = {
  readonly store: Pick<Store, 'prune'>;
  readonly clock: Clock;
  readonly health: () => EngineHealth;
  readonly retentionMs: () => Operations['retentionMs'];
  readonly logger: Logger;
};

/** Throws away what is too old, once an hour, in the engine's spare time. Returns how to stop it. */
export function startHousekeeping(context: HousekeepingContext): () => void {
  const { store, clock, health, retentionMs, logger } = context;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let pruned = 0;

  const schedule = (ms: number): void => {
    if (!isStopped) cancel = clock.after(ms, () => void work());
  };
  const work = async (): Promise<void> => {
    const { store: state, queueDepth, tickLagMs } = health();
    if (state !== 'ok' || queueDepth > QUEUE_MAX || tickLagMs > TICK_LAG_MS_MAX)
      return schedule(BUSY_PAUSE_MS);
    try {
      const batch = await store.prune(cutoffsAt(clock.now(), retentionMs()), BATCH_MAX);
      pruned += batch.pruned;
      if (batch.hasMore) return schedule(PAUSE_MS);
      if (pruned > 0) logger.info({ pruned }, 'deleted what was older than its retention');
      pruned = 0;
    } catch (error) {
      logger.warn({ err: error }, 'housekeeping will be tried again in an hour');
    }
    schedule(EVERY_MS);
  };
  schedule(FIRST_AFTER_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}

const cutoffsAt = (now: Instant, kept: Operations['retentionMs']): Cutoffs => ({
  events: later(now, -kept.events),
  checkpoints: later(now, -kept.checkpoints),
  effects: later(now, -kept.effects),
  rollups: later(now, -kept.rollups),
  tokens: later(now, -kept.tokens),
  letters: later(now, -kept.letters),
  // Its incidents are numbered from 1 again if it returns, and must not be mixed up with earlier ones.
  agents: later(now, -Math.max(kept.agents, kept.events, kept.effects)),
});
