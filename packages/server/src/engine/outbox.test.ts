import type { Effect } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock, settled } from '../../test/manual-clock.ts';
import type { Store } from '../store/store.ts';
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
