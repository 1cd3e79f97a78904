import { type Instant, instant } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { openMemory } from '../store/memory/index.ts';
import { continuedClock } from './continued-clock.ts';

async function clockAfter(
  lastTickAt: number | null,
  storeNow: number | null = null,
): Promise<{ wall: ManualClock; now: () => number }> {
  const store = { ...openMemory(), clock: async () => storeNow as Instant | null };
  if (lastTickAt !== null) await store.putMeta('ticks', JSON.stringify({ log: [], lastTickAt }));
  const wall = new ManualClock(5_000);
  const clock = await continuedClock(store, wall);
  return { wall, now: () => clock.now() };
}

test('the first server on a store uses the wall clock', async () => {
  expect((await clockAfter(null)).now()).toBe(5_000);
});

test('a wall clock past the last tick is used as it is', async () => {
  expect((await clockAfter(instant(4_000))).now()).toBe(5_000);
});

test('a wall clock that was set back does not move time backwards', async () => {
  const { wall, now } = await clockAfter(instant(9_000));
  expect(now()).toBe(9_000);
  wall.jump(10);
  expect(now()).toBe(9_010);
});

test.each([
  [4_000, 4_010],
  [60_000, 60_010],
])('servers that share a database go by its clock: %i', async (storeNow, expected) => {
  const { wall, now } = await clockAfter(null, storeNow);
  expect(now()).toBe(storeNow);
  wall.jump(10);
  expect(now()).toBe(expected);
});
