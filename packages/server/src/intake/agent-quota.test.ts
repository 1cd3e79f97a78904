import { expect, it } from 'vitest';
import { openMemory } from '../store/memory/index.ts';
import { AgentQuota } from './agent-quota.ts';

it('gives no more places than there are, over two servers and at the same time', async () => {
  const store = openMemory();
  const servers = [new AgentQuota(store, 120), new AgentQuota(store.beside(), 120)];
  const takes = Array.from({ length: 200 }, (_, i) => servers[i % 2]?.take('t'));
  const taken = (await Promise.all(takes)).filter(Boolean);
  expect(taken.length).toBeLessThanOrEqual(120);
  // What one has reserved and does not use, the other does not have.
  expect(taken.length).toBeGreaterThanOrEqual(100);
  expect(await store.getMeta('enrolled/t')).toBe('120');
});
