import { createHash } from 'node:crypto';
import { type EffectKind, milliseconds, type Registration } from '@holter/core';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { defaultPolicies } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';
import { Engine } from './engine.ts';
import { AGENT_EFFECTS, type Executor } from './executor.ts';

type WorldOptions = {
  /** What a server has left behind. */
  readonly earlier?: { readonly store: Store; readonly clock: ManualClock };
  readonly hasExecutor?: boolean;
};

/** An engine with one executor, which is asked for whatever Holter wants done. */
async function world({ earlier, hasExecutor = true }: WorldOptions = {}) {
  const { store, clock } = earlier ?? { store: openMemory(), clock: new ManualClock() };
  const done: EffectKind[] = [];
  let isOn = false;
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const run: Executor = {
    name: 'run',
    id: 'run:1',
    kinds: AGENT_EFFECTS,
    act: async ({ kind }) => {
      done.push(kind);
      return { kind: 'receipt', outcome: 'done', detail: '' };
    },
  };
  const engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: hasExecutor ? [run] : [],
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    newId,
    newSecret: newId,
    estop: () => (isOn ? { at: 1, by: 'olga', reason: '' } : null),
    onBug: (error) => {
      throw error;
    },
  });
  await engine.start();
  if (!earlier) await engine.register(ada);
  const stop = (on: boolean): void => {
    isOn = on;
  };
  return { engine, store, clock, done, stop };
}

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'ada-1',
  role: 'active-development',
  group: 'default',
  mode: 'act',
  promises: { calls: { modelTimeoutMs: milliseconds(0) } },
  can: ['nudge', 'terminate', 'spawn'],
  executor: 'run:1',
};
const crash = { agentId: 'ada', incarnation: 1, kind: 'exited', code: 1 } as const;
const HOUR = 3_600_000;

test('while acts are stopped, a crash is found and nothing is started; afterwards it is', async () => {
  const { engine, clock, done, stop } = await world();
  stop(true);
  await engine.signal(crash, 'holter');
  await clock.advance(HOUR);
  expect(done).toEqual([]);
  expect((await engine.read('ada'))?.hard).toMatchObject({
    health: 'FAILING',
    incident: { step: 'recover', attempt: 1, phase: 'due' },
  });
  expect(engine.health.estop).toMatchObject({ by: 'olga' });
  stop(false);
  await clock.advance(HOUR / 6);
  expect(done[0]).toBe('spawn');
  await engine.stop();
});

test('while acts are stopped, nobody is nudged', async () => {
  const { engine, clock, done, stop } = await world();
  stop(true);
  await engine.signal({ agentId: 'ada', incarnation: 1, kind: 'turn-begun' }, 'cli');
  await clock.advance(HOUR);
  expect([done, (await engine.read('ada'))?.hard.health]).toEqual([[], 'STUCK']);
  await engine.stop();
});

test('an act that was ordered just before is not begun', async () => {
  const { engine, clock, done, stop } = await world();
  await engine.signal(crash, 'holter');
  // The backoff before the first start is a minute.
  await clock.advance(HOUR / 60 - 1_000);
  stop(true);
  await clock.advance(HOUR / 2);
  expect(done).toEqual([]);
  await engine.stop();
});

test("a person's order is carried out", async () => {
  const { engine, clock, done, stop } = await world();
  stop(true);
  const answer = await engine.decide('ada', { decision: 'terminate', by: 'olga', reason: 'it is wrong' });
  expect(answer).not.toHaveProperty('rejected');
  await clock.advance(10_000);
  expect(done).toEqual(['terminate']);
  await engine.stop();
});

test("a person's nudge is sent; one that a setting has ordered is not", async () => {
  const { engine, clock, done, stop } = await world();
  stop(true);
  const order = { decision: 'nudge', by: 'tmux.escape_hung_model', reason: 'no answer came' } as const;
  await engine.decide('ada', { ...order, source: 'run' });
  await clock.advance(10_000);
  expect(done).toEqual([]);
  await engine.decide('ada', { ...order, by: 'olga', message: 'look at the logs' });
  await clock.advance(10_000);
  expect(done).toEqual(['nudge']);
  await engine.stop();
});

test("a person's order is carried out also by a server that has not read the record yet", async () => {
  const before = await world({ hasExecutor: false });
  await before.engine.decide('ada', { decision: 'terminate', by: 'olga', reason: 'it is wrong' });
  await before.engine.stop();
  const { engine, clock, done, stop } = await world({ earlier: before });
  stop(true);
  await clock.advance(10_000);
  expect(done).toEqual(['terminate']);
  await engine.stop();
});
