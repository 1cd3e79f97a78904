import type { Decision } from '@holter/core';
import { milliseconds } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { defaultPolicies } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { Engine } from './engine.ts';

test('a nudge that the next one replaces in the same commit is cancelled in the log', async () => {
  const store = openMemory();
  let ids = 0;
  const engine = new Engine({
    store,
    clock: new ManualClock(),
    policies: defaultPolicies,
    executors: [],
    sha256: (text) => text,
    newId: () => `id-${++ids}`,
    newSecret: () => `secret-${++ids}`,
    onBug: (error) => {
      throw error;
    },
  });
  await engine.start();
  await engine.register({
    agentId: 'ada',
    instanceId: '1',
    role: 'active-development',
    group: 'default',
    mode: 'nudge',
    promises: { beatEveryMs: milliseconds(60_000) },
    can: ['nudge'],
    executor: null,
  });
  const nudge = (reason: string): Decision => ({ decision: 'nudge', by: 'ann', reason });
  // The second and the third wait for the commit of the first, and share the next one.
  await Promise.all(['one', 'two', 'three'].map((reason) => engine.decide('ada', nudge(reason))));
  const effects = (await store.listEffects({ limit: 9 })).filter(({ effect }) => effect.kind === 'nudge');
  expect(effects.map(({ effect, outcome }) => [effect.id, outcome])).toEqual([
    ['ada/1/nudge/3', null],
    ['ada/1/nudge/1', 'cancelled'],
  ]);
  const cancelled = await store.readEvents({ after: 0, types: ['EFFECT_CANCELLED'], limit: 9 });
  expect(cancelled.map(({ event }) => event.payload)).toMatchObject([
    { agentId: 'ada', effectId: 'ada/1/nudge/2', because: 'what it was for is over' },
    { agentId: 'ada', effectId: 'ada/1/nudge/1', because: 'what it was for is over' },
  ]);
  await engine.stop();
});
