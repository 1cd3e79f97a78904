import { instant } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { openMemory } from '../store/memory/index.ts';
import { continuedClock } from './continued-clock.ts';

async function clockAfter(lastTickAt: number | null): Promise<{ wall: ManualClock; now: () => number }> {
  const store = openMemory();
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
