import { emptyMeter, type Spending } from '@holter/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPENDING_ROWS_MAX, sumSpending } from '../spending.ts';
import { agentOf, at, before, commitOf, committed, type OpenStore, spendingOf } from './kit.ts';
import { withStore } from './with-store.ts';

const DAY = 86_400_000;

export function spendingContract(open: OpenStore): void {
  describe('spending', () => {
    const current = withStore(open);
    const all = { from: at(0), limit: 1_000 } as const;

    it('is added up by day, agent, group, task and model, the most expensive first', async () => {
      const { store } = current;
      const spending = [
        spendingOf({ input: 7, tokens: 7, costMicros: 35, model: 'big-1' }),
        spendingOf({ output: 3, tokens: 3, costMicros: 75, model: 'big-1' }),
        spendingOf({ tokens: 500, unpricedTokens: 500, model: 'new', taskId: 'T-1' }),
        spendingOf({ tokens: 20, costMicros: 900, reportedMicros: 900, at: at(DAY), group: 'ops' }),
      ];
      await committed(store, commitOf(agentOf('ada'), 0, { spending }));
      const keys = async (...by: Parameters<typeof store.spending>[0]['by']) =>
        (await store.spending({ ...all, by })).map(({ key, tokens, costMicros }) => [
          key,
          tokens,
          costMicros,
        ]);
      expect(await keys('model')).toEqual([
        [{ model: 'big-1' }, 30, 1_010],
        [{ model: 'new' }, 500, 0],
      ]);
      expect(await keys('taskId')).toEqual([
        [{ taskId: '' }, 30, 1_010],
        [{ taskId: 'T-1' }, 500, 0],
      ]);
      expect(await keys('day', 'group')).toEqual([
        [{ day: at(DAY) - (at(DAY) % DAY), group: 'ops' }, 20, 900],
        [{ day: at(0) - (at(0) % DAY), group: 'crew' }, 510, 110],
      ]);
      expect(await store.spending({ ...all, by: [] })).toEqual([
        {
          key: {},
          ...emptyMeter,
          input: 7,
          output: 3,
          tokens: 530,
          costMicros: 1_010,
          reportedMicros: 900,
          unpricedTokens: 500,
        },
      ]);
      expect(await store.spending({ from: at(DAY), by: ['agentId'], limit: 9 })).toMatchObject([
        { tokens: 20 },
      ]);
      expect(await store.spending({ ...all, by: ['model'], limit: 1 })).toHaveLength(1);
    });

    it('is empty where nothing was spent', async () => {
      expect(await current.store.spending({ ...all, by: [] })).toEqual([]);
      expect(await current.store.spending({ ...all, by: ['agentId'] })).toEqual([]);
    });

    it('ignores a commit that was refused', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada'), 0, { spending: [spendingOf()] }));
      await store.commit([commitOf(agentOf('ada'), 0, { spending: [spendingOf()] })]);
      expect(await store.spending({ ...all, by: [] })).toMatchObject([{ tokens: 10 }]);
    });

    it('has at most so many rows for an agent and a day, and loses nothing', async () => {
      const { store } = current;
      const spending = Array.from({ length: SPENDING_ROWS_MAX + 50 }, (_, n) =>
        spendingOf({ taskId: `T-${n}` }),
      );
      await committed(store, commitOf(agentOf('ada'), 0, { spending }));
      await committed(store, commitOf(agentOf('bob'), 0, { spending: [spendingOf({ agentId: 'bob' })] }));
      const rows = await store.spending({ ...all, by: ['agentId', 'taskId', 'model'] });
      expect(rows.filter(({ key }) => key.agentId === 'ada')).toHaveLength(SPENDING_ROWS_MAX + 1);
      expect(rows).toContainEqual(
        expect.objectContaining({ key: { agentId: 'ada', taskId: 'other', model: 'other' }, tokens: 500 }),
      );
    });

    it('is pruned by whole days, as long as roll-ups are kept', async () => {
      const { store } = current;
      const spending = [0, 1, 2].map((day) => spendingOf({ at: at(day * DAY) }));
      await committed(store, commitOf(agentOf('ada'), 0, { spending }));
      for (let round = 0; round < 3; round += 1)
        await store.prune({ ...before(0), rollups: at(2 * DAY) }, 100);
      expect(await store.spending({ ...all, by: ['day'] })).toMatchObject([{ tokens: 10 }]);
    });

    it('takes any name, and sums that are larger than integers', async () => {
      const { store } = current;
      const name = '\0"; drop table spending; --';
      const spending = Array.from({ length: 20 }, (_, n) =>
        spendingOf({ taskId: `T-${n}`, model: name, tokens: Number.MAX_SAFE_INTEGER }),
      );
      await committed(store, commitOf(agentOf('ada'), 0, { spending }));
      const [row] = await store.spending({ ...all, by: ['model'] });
      expect(row?.key.model).toBe(name.replace('\0', '\ufffd'));
      expect(row?.tokens).toBeCloseTo(20 * Number.MAX_SAFE_INTEGER, -6);
    });

    it('agrees with a sum made of all rows', async () => {
      const row = fc.record({
        agentId: fc.constantFrom('ada', 'bob'),
        group: fc.constantFrom('crew', 'ops'),
        model: fc.constantFrom('', 'big-1', 'new'),
        taskId: fc.constantFrom(null, 'T-1'),
        day: fc.nat(3),
        tokens: fc.nat(1_000),
        costMicros: fc.integer({ min: -5, max: 1_000 }),
      });
      const { store } = current;
      let version = 0;
      const known: Spending[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
          const spending = rows.map(({ day, ...fields }) => spendingOf({ ...fields, at: at(day * DAY) }));
          await committed(store, commitOf(agentOf('ada'), version, { spending }));
          version += 1;
          known.push(...spending);
          const naive = known.map((each) => {
            const { at: moment, agentId, group, taskId, model, ...meter } = each;
            const key = { day: moment - (moment % DAY), agentId, group, taskId: taskId ?? '', model };
            return [key, meter] as const;
          });
          for (const by of [[], ['day', 'model'], ['agentId', 'group', 'taskId']] as const) {
            const query = { from: at(DAY), by, limit: 100 };
            const sorted = (sums: readonly object[]) =>
              [...sums].map((sum) => JSON.stringify(sum, order)).sort();
            expect(sorted(await store.spending(query))).toEqual(sorted(sumSpending(naive, query)));
          }
        }),
        { numRuns: 12 },
      );
    });
  });
}

/** Writes the fields of an object in one order. */
const order = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
