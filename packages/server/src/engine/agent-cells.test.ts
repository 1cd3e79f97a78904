import { type HolterEvent, milliseconds, type Registration } from '@holter/core';
import { expect, test } from 'vitest';
import { engineOf } from '../../test/engine.ts';
import { ManualClock } from '../../test/manual-clock.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';

const ada: Registration = {
  agentId: 'ada',
  instanceId: 'one',
  role: 'active-development',
  group: 'default',
  mode: 'observe',
  promises: { beatEveryMs: milliseconds(60_000) },
  can: [],
  executor: null,
};
const beat = { kind: 'heartbeat', agentId: 'ada', incarnation: 1 } as const;

/** An engine that keeps no record in memory once its agent is idle. */
async function world() {
  const clock = new ManualClock();
  const memory = openMemory();
  const loads: string[] = [];
  const load: Store['load'] = (agentId) => {
    loads.push(agentId);
    return memory.load(agentId);
  };
  const engine = engineOf({
    store: Object.assign(Object.create(memory) as Store, { load }),
    clock,
    cellsMax: 0,
  });
  const events: HolterEvent[] = [];
  engine.onCommitted((own) => events.push(...own.events));
  await engine.start();
  await engine.register(ada);
  await engine.signal(beat, 'agent');
  await clock.advance(1_000);
  loads.length = 0;
  return { engine, clock, memory, loads, events };
}

test('plain beats need no record, and are known wherever it is read', async () => {
  const { engine, clock, memory, loads, events } = await world();
  expect(engine.peek('ada')).toBeNull();
  for (let i = 0; i < 3; i++) {
    await clock.advance(10_000);
    await engine.signal(beat, 'agent');
  }
  expect(loads).toEqual([]);
  const heardAt = clock.now();
  expect((await memory.load('ada'))?.agent.soft.beatAt).toBeLessThan(heardAt);
  expect((await engine.read('ada'))?.soft.beatAt).toBe(heardAt);
  loads.length = 0;
  // The check at the old deadline reads the record, finds the newest beat, and keeps only the outline again.
  await clock.advance(50_000);
  expect(loads).toEqual(['ada']);
  await engine.signal(beat, 'agent');
  expect(loads).toEqual(['ada']);
  expect(events.filter(({ type }) => type === 'HEALTH_STATE_CHANGED')).toEqual([]);
  await engine.stop();
});

test('a beat that says more than "alive" reads the record, and so does one of another start', async () => {
  const { engine, loads } = await world();
  expect(await engine.signal({ ...beat, phase: 'tests' }, 'agent')).toMatchObject({
    agent: { hard: { phase: 'tests', role: 'active-development', health: 'HEALTHY' } },
  });
  expect(loads).toEqual(['ada']);
  expect(await engine.signal({ ...beat, incarnation: 7 }, 'agent')).toHaveProperty('rejected');
  await engine.stop();
});

test('an agent that falls silent is flagged, and its next beat clears it', async () => {
  const { engine, clock, events } = await world();
  await clock.advance(80_000);
  expect(events.map(({ type }) => type)).toContain('FINDING_RAISED');
  await engine.signal(beat, 'agent');
  expect(events.map(({ type }) => type)).toContain('FINDING_CLEARED');
  await engine.stop();
});

test('of a flood, all is on record when its minute is over, though nothing more is heard', async () => {
  const { engine, clock, memory } = await world();
  await engine.register({ ...ada, agentId: 'bob', promises: {} });
  const bob = { agentId: 'bob', incarnation: 1 } as const;
  const flood = Array.from({ length: 500 }, (_, n) =>
    engine.signal({ ...bob, kind: 'blocker', text: `${n}` }, 'agent'),
  );
  await Promise.all(flood);
  const standFor = async () => {
    const events = await memory.readEvents({ after: 0, limit: 1_000, types: ['BLOCKER_REPORTED'] });
    return events.reduce((sum, { event }) => sum + 1 + (event.folded ?? 0), 0);
  };
  expect(await standFor()).toBeLessThan(500);
  await clock.advance(62_000);
  expect(await standFor()).toBe(500);
  await engine.stop();
});

test('the records of many due agents leave memory slice by slice', async () => {
  const clock = new ManualClock();
  const memory = openMemory();
  const ids = Array.from({ length: 40 }, (_, i) => `agent-${i}`);
  const kept: number[] = [];
  const claimDue: Store['claimDue'] = (claim) => {
    kept.push(ids.filter((agentId) => engine.peek(agentId) !== null).length);
    return memory.claimDue(claim);
  };
  const store = Object.assign(Object.create(memory) as Store, { claimDue });
  const engine = engineOf({ store, clock, cellsMax: 0, sliceMax: 5 });
  await engine.start();
  for (const agentId of ids) await engine.register({ ...ada, agentId });
  await clock.advance(1_000);
  kept.length = 0;
  await clock.advance(80_000);
  // Two slices may be under way. Dropping all of them at the end of a round would delay the next tick.
  expect(kept.length).toBeGreaterThan(80);
  expect(Math.max(...kept)).toBeLessThanOrEqual(10);
  await engine.stop();
});
