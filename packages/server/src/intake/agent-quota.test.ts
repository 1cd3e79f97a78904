import { expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { agentOf, at, commitOf, committed } from '../store/contract/kit.ts';
import { openMemory } from '../store/memory/index.ts';
import type { Store } from '../store/store.ts';
import { AgentQuota } from './agent-quota.ts';

function world(max: number) {
  const clock = new ManualClock();
  const store = openMemory();
  const quotaOn = (on: Store) => new AgentQuota({ store: on, now: () => clock.now(), max: () => max });
  const enroll = async (agentId: string, isAgain = false): Promise<void> => {
    const agent = agentOf(agentId, { enrolledBy: 't' });
    await committed(store, commitOf(agent, isAgain ? 2 : 0));
  };
  const end = (agentId: string) => {
    const stopped = { how: 'stopped', at: at(0), detail: '' } as const;
    return committed(store, commitOf(agentOf(agentId, { enrolledBy: 't', end: stopped }), 1));
  };
  return { clock, store, quotaOn, enroll, end };
}

it('never exceeds the quota, even with two servers at the same time', async () => {
  const { store, quotaOn } = world(120);
  const servers = [quotaOn(store), quotaOn(store.beside())];
  const takes = Array.from({ length: 200 }, (_, i) => servers[i % 2]?.take('t'));
  const taken = (await Promise.all(takes)).filter(Boolean);
  expect(taken.length).toBeLessThanOrEqual(120);
  // Places that one server has reserved but not used are not available to the other.
  expect(taken.length).toBeGreaterThanOrEqual(100);
  expect(await store.getMeta('enrolled/t')).toMatch(/^120 /);
});

it('counts agents that have not ended, so that those that did leave their places', async () => {
  const { clock, store, quotaOn, enroll, end } = world(3);
  const quota = quotaOn(store);
  for (const agentId of ['a', 'b', 'c']) {
    expect(await quota.take('t')).toBe(true);
    await enroll(agentId);
  }
  await committed(store, commitOf(agentOf('other', { enrolledBy: 'another' }), 0));
  expect(await quota.take('t')).toBe(false);
  await clock.advance(120_000);
  expect(await quota.take('t')).toBe(false);
  await end('b');
  // Somebody else may have a place that its agent has not taken yet: it is counted again after two minutes.
  expect(await quota.take('t')).toBe(false);
  await clock.advance(120_000);
  expect(await quota.take('t')).toBe(true);
  await enroll('b', true);
  expect(await quota.take('t')).toBe(false);
  await clock.advance(120_000);
  expect(await quota.take('t')).toBe(false);
});

it('gives up places that it reserved and did not use', async () => {
  const { clock, store, quotaOn, enroll } = world(50);
  const [first, second] = [quotaOn(store), quotaOn(store.beside())];
  expect(await first.take('t')).toBe(true);
  await enroll('a');
  expect(await second.take('t')).toBe(false);
  await clock.advance(120_000);
  const takes = await Promise.all(Array.from({ length: 60 }, () => second.take('t')));
  expect(takes.filter(Boolean)).toHaveLength(49);
  expect(await first.take('t')).toBe(false);
});

it('keeps as many ended agents as an account may have, the newest', async () => {
  const { clock, store, quotaOn } = world(2);
  const quota = quotaOn(store);
  const ended = (agentId: string, second: number, enrolledBy = 't') => {
    const end = { how: 'stopped', at: at(second), detail: '' } as const;
    const agent = agentOf(agentId, { enrolledBy, health: 'TERMINATED', at: at(second), end });
    return committed(store, commitOf(agent, 0));
  };
  for (const [index, agentId] of ['a', 'b', 'c', 'd', 'e'].entries()) await ended(agentId, index);
  await ended('other', 0, 'another');
  for (let n = 0; n < 2; n += 1) expect(await quota.take('t')).toBe(true);
  await clock.advance(120_000);
  expect(await quota.take('t')).toBe(true);
  const { items } = await store.listAgents({ limit: 99 });
  expect(items.map(({ agent }) => agent.hard.agentId)).toEqual(['d', 'e', 'other']);
});
