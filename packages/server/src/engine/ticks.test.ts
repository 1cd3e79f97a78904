import { type HolterEvent, milliseconds, type Registration } from '@holter/core';
import { describe, expect, test } from 'vitest';
import { engineOf } from '../../test/engine.ts';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { type MemoryStore, openMemory } from '../store/memory/index.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';

const TICK_MS = 1_000;

const bot = (index: number): Registration => ({
  agentId: `bot-${index}`,
  instanceId: 'one',
  role: 'active-development',
  group: 'default',
  mode: 'observe',
  promises: { beatEveryMs: milliseconds(60_000) },
  can: [],
  executor: null,
});

/** An engine with slices of three, and twenty agents that have beaten and then fall silent. */
async function world(around: (store: MemoryStore, clock: ManualClock) => Partial<Store> = () => ({})) {
  const clock = new ManualClock();
  const memory = openMemory();
  const engine = engineOf({
    store: Object.assign(Object.create(memory) as Store, around(memory, clock)),
    clock,
    sliceMax: 3,
  });
  const events: HolterEvent[] = [];
  engine.onCommitted((own) => events.push(...own.events));
  await engine.start();
  const bots = Array.from({ length: 20 }, (_, index) => bot(index));
  for (const registration of bots) await engine.register(registration);
  const beatAll = async () => {
    for (const { agentId } of bots)
      await engine.signal({ kind: 'heartbeat', agentId, incarnation: 1 }, 'agent');
  };
  await beatAll();
  await clock.advance(TICK_MS);
  const flagged = () => events.flatMap((event) => (event.type === 'HEALTH_STATE_CHANGED' ? [event] : []));
  return { engine, clock, memory, bots, beatAll, flagged };
}

describe('a tick with more work than one slice', () => {
  test('judges everyone who is due, and writes every soft fact', async () => {
    const { engine, clock, memory, bots, beatAll, flagged } = await world();
    await clock.advance(30_000);
    await beatAll();
    const heardAt = clock.now();
    await clock.advance(TICK_MS);
    const stored = await memory.loadMany(bots.map(({ agentId }) => agentId));
    expect(stored.map(({ agent }) => agent.soft.beatAt)).toEqual(bots.map(() => heardAt));
    await clock.advance(75_000);
    expect(flagged()).toHaveLength(bots.length);
    expect(new Set(flagged().map(({ at }) => at)).size).toBe(1);
    await engine.stop();
  });

  test('is no stall, although it takes much longer than the time between two ticks', async () => {
    let slowMs = 0;
    const { engine, clock, bots, flagged } = await world((store, time) => ({
      commit: (...args) => {
        time.jump(slowMs);
        return store.commit(...args);
      },
    }));
    slowMs = 800;
    await clock.advance(80_000);
    expect(flagged()).toHaveLength(bots.length);
    const times = flagged().map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(3_000);
    expect(engine.health.stallCount).toBe(0);
    await engine.stop();
  });

  test('and a store that does not answer in between is one', async () => {
    let slices = 0;
    const { engine, clock, bots, flagged } = await world((store, time) => ({
      claimDue: async (...args) => {
        const due = await store.claimDue(...args);
        if (due.length > 0 && ++slices === 3) time.jump(5_000);
        return due;
      },
    }));
    await clock.advance(150_000);
    expect(engine.health.stallCount).toBe(1);
    expect(flagged()).toHaveLength(bots.length);
    await engine.stop();
  });
});

test('a machine that is suspended while it judges marks no agent as silent', async () => {
  let isSuspended = false;
  const { engine, clock, beatAll, flagged } = await world((store, time) => ({
    claimDue: async (...args) => {
      const due = await store.claimDue(...args);
      if (due.length > 0 && !isSuspended) {
        isSuspended = true;
        time.jump(3 * 3_600_000);
      }
      return due;
    },
  }));
  await clock.advance(50_000);
  await beatAll();
  await clock.advance(60_000);
  expect(isSuspended).toBe(true);
  await beatAll();
  await clock.advance(30_000);
  expect(flagged()).toEqual([]);
  await engine.stop();
});

describe('the first tick of a server', () => {
  const lastTickIn = async (store: MemoryStore): Promise<number> =>
    JSON.parse((await store.getMeta('ticks')) ?? '{"lastTickAt":0}').lastTickAt;

  test('is stored before anything else: a server whose clock is ahead may die at once', async () => {
    const memory = openMemory();
    const clock = new ManualClock(3_600_000);
    const store = Object.assign(Object.create(memory) as Store, {
      lastCursor: () => new Promise<number>(() => undefined),
    });
    void engineOf({ store, clock }).start();
    await settled();
    expect(await lastTickIn(memory)).toBe(clock.now());
  });

  test('is stored before soft facts, although the store refused it at first', async () => {
    const order: string[] = [];
    let isRefusing = true;
    const { engine, clock } = await world((memory) => ({
      swapMeta: async (...args) => {
        if (isRefusing) throw new StoreUnavailable('unreachable', 'no answer');
        order.push('tick');
        return memory.swapMeta(...args);
      },
      flushSoft: async (...args) => {
        order.push('soft facts');
        return memory.flushSoft(...args);
      },
    }));
    await clock.advance(2 * TICK_MS);
    expect(order).toEqual([]);
    isRefusing = false;
    await clock.advance(TICK_MS);
    expect(order.slice(0, 2)).toEqual(['tick', 'soft facts']);
    await engine.stop();
  });
});
