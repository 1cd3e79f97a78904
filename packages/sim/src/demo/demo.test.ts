import { createHash } from 'node:crypto';
import { instant } from '@holter/core';
import { Engine, Intake, openMemory, ReplyQueue } from '@holter/server';
import { defaultPolicies } from '@holter/server/policy';
import { expect, test } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import { startDemo } from './start-demo.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('forty minutes of the demo show what a newcomer should see', async () => {
  const clock = new VirtualClock(instant(1_800_000_000_000), quiet);
  const store = openMemory();
  let ids = 0;
  const engine = new Engine({
    store,
    clock,
    policies: defaultPolicies,
    executors: [],
    sha256,
    newId: () => `id${++ids}`,
    newSecret: () => 'secret',
    onBug: (error) => {
      throw error;
    },
  });
  await engine.start();
  const replies = new ReplyQueue(clock, (effect, outcome, detail) => engine.receive(effect, outcome, detail));
  const intake = new Intake({ engine, replies, store, clock });
  const end = startDemo(clock, { engine, intake, store, sha256 });
  await clock.advance(40 * 60_000);
  end();
  const events = (await store.readEvents({ after: 0, limit: 100_000 })).map(({ event }) => event);
  const of = (type: string, agent: string) =>
    events.filter((event) => event.type === type && JSON.stringify(event.payload).includes(agent));

  // A loop is found, nudged and cured.
  expect(of('NUDGE_SENT', 'cured-by-nudge-1')).not.toEqual([]);
  expect(of('INCIDENT_CLOSED', 'cured-by-nudge-1')).not.toEqual([]);
  // A crash, and its recovery.
  expect(of('AGENT_ENDED', 'crasher-2')).not.toEqual([]);
  expect(of('RECOVERY_COMPLETED', 'crasher-2')).not.toEqual([]);
  // A breaker trips and closes.
  const moves = of('CIRCUIT_BREAKER_STATE_CHANGED', 'steady-worker-0').map(({ payload }) => payload);
  expect(moves).toContainEqual(expect.objectContaining({ to: 'OPEN' }));
  expect(moves).toContainEqual(expect.objectContaining({ to: 'CLOSED' }));
  // Somebody needs a decision, and waits for it.
  expect(of('ESCALATION_TRIGGERED', 'deaf-3')).not.toEqual([]);
  expect((await engine.read('deaf-3'))?.hard.incident?.step).toBe('human');
  // Checkpoints can be read, and most of the fleet is well.
  expect((await store.listCheckpoints('crasher-2', 10)).length).toBeGreaterThan(0);
  const { HEALTHY = 0 } = await store.countByHealth();
  expect(HEALTHY).toBeGreaterThan(12);
  await engine.stop();
});
