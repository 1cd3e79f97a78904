import { hours, instant } from '@holter/core';
import { expect, it, vi } from 'vitest';
import type { EngineHealth } from '../engine/engine-options.ts';
import { createLogger } from '../logging/logger.ts';
import { defaultPolicies } from '../policy/index.ts';
import { startHousekeeping } from './housekeeping.ts';

const now = instant(hours(24 * 365));

/** A clock whose timers ring when they are told to. */
function rig(
  health: Partial<EngineHealth> = {},
  batches = [
    { pruned: 500, hasMore: true },
    { pruned: 3, hasMore: false },
  ],
) {
  let ring: () => void = () => undefined;
  const waits: number[] = [];
  const prune = vi.fn(async () => batches.shift() ?? { pruned: 0, hasMore: false });
  const stop = startHousekeeping({
    store: { prune },
    clock: {
      now: () => now,
      after: (ms, callback) => {
        waits.push(ms);
        ring = callback;
        return () => {
          ring = () => undefined;
        };
      },
    },
    retentionMs: () => defaultPolicies.operations.retentionMs,
    health: () => ({ store: 'ok', queueDepth: 0, tickLagMs: 0, ...health }) as EngineHealth,
    logger: createLogger({ write: () => undefined, isPretty: false, level: 'silent' }),
  });
  const next = async (): Promise<void> => {
    ring();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { waits, prune, stop, next };
}

it('deletes in small batches what is older than its retention, once an hour', async () => {
  const { waits, prune, next } = rig();
  await next();
  await next();
  expect(prune).toHaveBeenCalledTimes(2);
  const month = now - hours(24 * 30);
  const rollups = now - hours(24 * 400);
  const before = {
    events: month,
    checkpoints: month,
    effects: month,
    tokens: month,
    letters: month,
    agents: month,
    rollups,
  };
  expect(prune).toHaveBeenCalledWith(before, 500);
  expect(waits).toEqual([60_000, 250, hours(1)]);
});

it.each<[why: string, health: Partial<EngineHealth>]>([
  ['the store is away', { store: 'unavailable' }],
  ['much is waiting', { queueDepth: 5_000 }],
  ['the tick is late', { tickLagMs: 2_000 }],
])('waits while %s', async (_why, health) => {
  const { prune, waits, next } = rig(health);
  await next();
  expect(prune).not.toHaveBeenCalled();
  expect(waits).toEqual([60_000, 5_000]);
});

it('does nothing more once it is stopped', async () => {
  const { prune, stop, next } = rig();
  stop();
  await next();
  expect(prune).not.toHaveBeenCalled();
});
