import { type Instant, instant } from '@holter/core';
import { expect, it } from 'vitest';
import { watchDatabase } from './database-watch.ts';

/** A machine whose clock moves only when it is told, and a database that is ahead of it. */
function world(aheadMs: number | null) {
  let at = 1_000_000;
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  const warned: unknown[] = [];
  const state = { aheadMs, hindrances: [] as string[], askMs: 0, isDown: false };
  return {
    state,
    warned,
    clock: {
      now: () => instant(at),
      after: (ms: number, run: () => void) => {
        const timer = { at: at + ms, run };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    logger: { warn: (...words: unknown[]) => void warned.push(words) },
    store: {
      inspect: async () => {
        if (state.isDown) throw new Error('away');
        const now =
          state.aheadMs === null ? null : (instant(at + state.askMs / 2 + state.aheadMs) as Instant);
        at += state.askMs;
        return { now, hindrances: state.hindrances };
      },
    },
    advance: async (ms: number) => {
      at += ms;
      for (const timer of timers.filter((each) => each.at <= at)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
    timers,
  };
}

it("takes the database's time at once, and says when it differs much", async () => {
  const { store, clock, logger, state, warned } = world(90_000);
  state.askMs = 40;
  const watch = await watchDatabase(store, clock, logger as never);
  expect(watch.clock.now() - clock.now()).toBe(90_000);
  expect(warned).toHaveLength(1);
});

it('follows it slowly from then on, and never steps back', async () => {
  const { store, clock, logger, state, advance, warned } = world(200);
  const watch = await watchDatabase(store, clock, logger as never);
  expect(warned).toEqual([]);
  state.aheadMs = -3_600_000;
  let last = watch.clock.now();
  for (let round = 0; round < 5; round += 1) {
    await advance(30_000);
    expect(watch.clock.now()).toBeGreaterThan(last);
    last = watch.clock.now();
  }
  expect(last - clock.now()).toBe(200 - 5 * 5);
});

it('keeps its difference, and goes on asking, while the database is away', async () => {
  const { store, clock, logger, state, advance, warned } = world(500);
  const watch = await watchDatabase(store, clock, logger as never);
  state.isDown = true;
  await advance(30_000);
  expect(watch.clock.now() - clock.now()).toBe(500);
  state.isDown = false;
  state.hindrances = ['a transaction is open'];
  await advance(30_000);
  expect(watch.hindrances()).toEqual(['a transaction is open']);
  await advance(30_000);
  expect(warned).toEqual([['a transaction is open']]);
});

it("keeps this machine's time where the store has none, and asks no more", async () => {
  const { store, clock, logger, timers } = world(null);
  const watch = await watchDatabase(store, clock, logger as never);
  expect(watch.clock.now()).toBe(clock.now());
  expect(timers).toEqual([]);
});
