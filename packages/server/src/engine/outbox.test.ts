import type { Effect } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';
import type { ActResult, Executor } from './executor.ts';
import { Outbox } from './outbox.ts';

const effect = { id: 'ada/1/terminate/1', kind: 'terminate', agentId: 'ada', executor: null } as Effect;

const away = new Error('the store is away');

/** An outbox with one effect; the claim is answered after `answerMs`, and the store may be away meanwhile. */
async function acts(answerMs: number, isAway: boolean): Promise<number> {
  const clock = new ManualClock();
  const effects = [{ effect, tries: 1, correlationId: null }];
  let count = 0;
  const outbox = new Outbox({
    store: {
      claimEffects: async () => effects.splice(0),
      renewEffects: () => (isAway ? Promise.reject(away) : Promise.resolve()),
      settleEffect: async () => 'settled',
    } as unknown as Store,
    clock,
    seen: () => 0,
    isHeld: async () => false,
    executors: () => [
      {
        name: 'host',
        id: null,
        kinds: new Set(['terminate'] as const),
        act: async () => {
          count += 1;
          return { kind: 'receipt', outcome: 'done', detail: '' };
        },
      },
    ],
    sha256: (text) => text,
    newSecret: () => 'secret',
    headOf: () => undefined,
    claim: (effect) => new Promise((resolve) => clock.after(answerMs, () => resolve(effect))),
    receive: async () => {},
    attention: () => {},
    failed: (error) => {
      if (error !== away) throw error;
    },
  });
  await outbox.pump();
  await clock.advance(answerMs);
  await settled();
  return count;
}

test('an effect is carried out only while its claim is valid', async () => {
  expect(await acts(1_000, true)).toBe(1);
  // The store was away for longer than the lease, so another server may be at it.
  expect(await acts(70_000, true)).toBe(0);
  expect(await acts(70_000, false)).toBe(1);
});

test('the receipt of an effect that another server has settled meanwhile does not count again', async () => {
  const clock = new ManualClock();
  const store = openMemory();
  await store.addEffects({
    effects: [effect],
    at: clock.now(),
    correlationId: 'c',
    swap: { key: 'k', expected: null, value: 'v' },
  });
  const receipts: string[] = [];
  let answer: (result: ActResult) => void = () => undefined;
  const outbox = new Outbox({
    // It is stopped while the effect is carried out, so that its claim is not renewed.
    ...{ store: { ...store, renewEffects: () => Promise.reject(away) }, clock, seen: () => 0 },
    executors: () => [
      {
        name: 'host',
        id: null,
        kinds: new Set(['terminate'] as const),
        act: () => new Promise((resolve) => (answer = resolve)),
      },
    ],
    sha256: (text) => text,
    newSecret: () => 'secret',
    headOf: () => undefined,
    claim: async (claimed) => claimed,
    receive: async (_effect, outcome) => {
      receipts.push(outcome);
    },
    attention: () => {},
    failed: (error) => {
      if (error !== away) throw error;
    },
  });
  await outbox.pump();
  await clock.advance(10_000);
  await store.settleEffect(effect.id, { at: clock.now(), outcome: 'done', detail: 'by another server' });
  answer({ kind: 'receipt', outcome: 'done', detail: '' });
  await outbox.drain();
  expect(receipts).toEqual([]);
});

test('an effect whose executor leaves while it is claimed goes to the server that the executor went to', async () => {
  const clock = new ManualClock();
  const store = openMemory();
  const nudge = { ...effect, kind: 'nudge', executor: 'run:ada' } as Effect;
  await store.addEffects({
    effects: [nudge],
    at: clock.now(),
    correlationId: 'c',
    swap: { key: 'k', expected: null, value: 'v' },
  });
  const run = { name: 'holter run', id: 'run:ada', kinds: new Set(['nudge'] as const) };
  const connected = [{ ...run, act: () => Promise.reject(new Error('it has left')) }];
  const outboxOf = (store: Store, executors: readonly Executor[]) =>
    new Outbox({
      ...{ store, clock, isHeld: async () => false, seen: () => 0, executors: () => executors },
      sha256: (text) => text,
      newSecret: () => 'secret',
      headOf: () => undefined,
      claim: async (claimed) => claimed,
      receive: async () => {},
      attention: () => {},
      failed: (error) => {
        throw error;
      },
    });
  const claimEffects: Store['claimEffects'] = async (claim) => {
    const claimed = await store.claimEffects(claim);
    connected.splice(0);
    return claimed;
  };
  const left = outboxOf({ ...store, claimEffects }, connected);
  await left.pump();
  await left.drain();

  const acted: string[] = [];
  const act: Executor['act'] = async ({ id }) => {
    acted.push(id);
    return { kind: 'receipt', outcome: 'delivered', detail: '' };
  };
  const other = outboxOf(store, [{ ...run, act }]);
  await other.pump();
  await other.drain();
  expect(acted).toEqual([nudge.id]);
});
