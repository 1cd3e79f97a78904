import { expect, it } from 'vitest';
import { openMemory } from '../store/memory/index.ts';
import { AgentQuota } from './agent-quota.ts';

it('never exceeds the quota, even with two servers at the same time', async () => {
  const store = openMemory();
  const servers = [new AgentQuota(store, 120), new AgentQuota(store.beside(), 120)];
  const takes = Array.from({ length: 200 }, (_, i) => servers[i % 2]?.take('t'));
  const taken = (await Promise.all(takes)).filter(Boolean);
  expect(taken.length).toBeLessThanOrEqual(120);
  // Places that one server has reserved but not used are not available to the other.
  expect(taken.length).toBeGreaterThanOrEqual(100);
  expect(await store.getMeta('enrolled/t')).toBe('120');
});
