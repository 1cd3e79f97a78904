import { emptyMeter, type Hard, type Instant, instant, type Policy, type Spending } from '@holter/core';
import { expect, test } from 'vitest';
import { compile, type PolicySet, policyFor } from '../policy/index.ts';
import { openMemory } from '../store/memory/index.ts';
import { SpendingBook } from './spending-book.ts';

const NOON = instant(Date.UTC(2026, 10, 16, 12));

function worldOf(budgets: object): { book: SpendingBook; set: PolicySet; policy: Policy } {
  const compiled = compile({ budgets });
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
  const set = compiled.policies;
  return { book: new SpendingBook(openMemory(), []), set, policy: policyFor(set, '', 'ada') };
}

const row = (agentId: string, usd: number, at: Instant = NOON, group = 'crew'): Spending => ({
  ...emptyMeter,
  at,
  agentId,
  group,
  taskId: null,
  model: 'm',
  tokens: usd * 100,
  costMicros: usd * 1e6,
});

const usdOf = ({ book, set, policy }: ReturnType<typeof worldOf>, agentId: string, at = NOON) => {
  const { today } = book.moneyOf({ agentId, group: 'crew' } as Hard, policy, set, at);
  return [today.agent, today.group, today.day].map(({ costMicros }) => costMicros / 1e6);
};

test('an agent, its group and the fleet have their sums of today', async () => {
  const world = worldOf({ agent: { usd: 50 }, group: { usd: 100 }, day: { usd: 200 } });
  await world.book.refresh(NOON, false);
  world.book.add([row('ada', 3), row('bob', 4), row('cat', 5, NOON, 'ops')]);
  expect(usdOf(world, 'ada')).toEqual([3, 7, 12]);
  expect(usdOf(world, 'dan')).toEqual([0, 7, 12]);
});

test('an agent that claims everything leaves the others half of the budget', async () => {
  const world = worldOf({ group: { usd: 100 } });
  await world.book.refresh(NOON, false);
  world.book.add([row('liar', 1_000_000), row('ada', 30)]);
  expect(usdOf(world, 'ada')[1]).toBe(80);
  expect(usdOf(world, 'liar')[1]).toBe(1_000_030);
  world.book.add([row('ada', 30), row('liar', 5)]);
  expect(usdOf(world, 'ada')[1]).toBe(110);
  expect(usdOf(world, 'bob')[1]).toBe(100);
});

test('a new day begins at zero', async () => {
  const world = worldOf({ agent: { usd: 1 } });
  await world.book.refresh(NOON, false);
  world.book.add([row('ada', 3)]);
  const tomorrow = instant(NOON + 86_400_000);
  expect(usdOf(world, 'ada', tomorrow)[0]).toBe(0);
  world.book.add([row('ada', 2, tomorrow)]);
  expect(usdOf(world, 'ada', tomorrow)[0]).toBe(2);
});
