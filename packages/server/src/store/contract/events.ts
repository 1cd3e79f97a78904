import type { EventType, HolterEvent } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, beat, commitOf, committed, incidentOf, nudgeSent, taskChanged } from './kit.ts';
import { withStore } from './with-store.ts';

const massFailure: HolterEvent = {
  at: at(1),
  incarnation: 0,
  type: 'MASS_FAILURE',
  payload: { group: 'red', lost: 5, size: 9 },
};

export function eventsContract(open: OpenStore): void {
  describe('events', () => {
    const current = withStore(open);

    it('are kept in commit order, regardless of their times', async () => {
      const { store } = current;
      expect(await store.lastCursor()).toBe(0);
      const verdicts = await store.commit([
        commitOf(agentOf('ada'), 0, {
          events: [taskChanged('ada', at(9), 'late'), taskChanged('ada', at(9), 'second')],
          correlationId: 'c7',
        }),
        commitOf(agentOf('bob'), 0, { events: [taskChanged('bob', at(1), 'early')] }),
      ]);
      expect(verdicts).toMatchObject([{ firstCursor: 1 }, { firstCursor: 3 }]);
      const events = await store.readEvents({ after: 0, limit: 10 });
      expect(events.map(({ cursor, agentId }) => [cursor, agentId])).toEqual([
        [1, 'ada'],
        [2, 'ada'],
        [3, 'bob'],
      ]);
      expect(events[0]).toEqual({
        cursor: 1,
        correlationId: 'c7',
        agentId: 'ada',
        event: taskChanged('ada', at(9), 'late'),
      });
      expect(await store.lastCursor()).toBe(3);
    });

    it('are read newest first when a reader asks for those before a cursor', async () => {
      const { store } = current;
      const names = ['a', 'b', 'c', 'd', 'e'];
      const events = names.map((name, i) => taskChanged('ada', at(i), name));
      await store.commit([commitOf(agentOf('ada'), 0, { events })]);
      await store.commit([commitOf(agentOf('bob'), 0, { events: [nudgeSent('bob', at(9))] })]);
      const newest = await store.readEvents({ after: 0, before: 99, limit: 3 });
      expect(newest.map(({ cursor }) => cursor)).toEqual([6, 5, 4]);
      const older = await store.readEvents({ after: 1, before: 4, limit: 9, agentId: 'ada' });
      expect(older.map(({ cursor }) => cursor)).toEqual([3, 2]);
      const types: EventType[] = ['NUDGE_SENT', 'TASK_CHANGED'];
      const both = await store.readEvents({ after: 0, before: 99, limit: 2, types });
      expect(both.map(({ cursor }) => cursor)).toEqual([6, 5]);
    });

    it('are read in pages without a gap or a repeat while others commit', async () => {
      const { store } = current;
      const seen: StoredEvent[] = [];
      for (let round = 0; round < 20; round += 1) {
        const events = Array.from({ length: (round * 7) % 5 }, (_, i) =>
          taskChanged('ada', at(round), `${round}.${i}`),
        );
        const write = store.commit([commitOf(agentOf('ada'), round, { events })]);
        seen.push(...(await store.readEvents({ after: seen.at(-1)?.cursor ?? 0, limit: 3 })));
        await write;
      }
      for (;;) {
        const page = await store.readEvents({ after: seen.at(-1)?.cursor ?? 0, limit: 3 });
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen.map(({ cursor }) => cursor)).toEqual(seen.map((_, i) => i + 1));
      expect(seen.at(-1)?.cursor).toBe(await store.lastCursor());
      expect(await store.readEvents({ after: await store.lastCursor(), limit: 3 })).toEqual([]);
    });

    it('leave no cursor unused when a commit is refused', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada'), 0));
      const events = [taskChanged('ada', at(1), 'x')];
      await store.commit([commitOf(agentOf('ada'), 0, { events }), commitOf(agentOf('ada'), 1, { events })]);
      expect(await store.lastCursor()).toBe(1);
    });

    it('do not include heartbeats', async () => {
      const { store } = current;
      const [verdict] = await store.commit([
        commitOf(agentOf('ada'), 0, { events: [beat('ada', at(1)), taskChanged('ada', at(1), 'x')] }),
      ]);
      expect(verdict).toMatchObject({ firstCursor: 1 });
      const types = (await store.readEvents({ after: 0, limit: 10 })).map(({ event }) => event.type);
      expect(types).toEqual(['TASK_CHANGED']);
    });

    it('are found by agent, type and incident', async () => {
      const { store } = current;
      const closed: HolterEvent = {
        at: at(3),
        incarnation: 1,
        type: 'INCIDENT_CLOSED',
        payload: { agentId: 'ada', incidentId: 'i1', reason: 'over', tokens: 0, costUsd: 0 },
      };
      await store.commit([
        commitOf(agentOf('ada'), 0, { events: [taskChanged('ada', at(1), 'before')] }),
        commitOf(agentOf('ada', { incident: incidentOf('i1') }), 1, {
          events: [nudgeSent('ada', at(2)), massFailure],
        }),
        commitOf(agentOf('ada'), 2, { events: [closed] }),
        commitOf(agentOf('bob'), 0, { events: [taskChanged('bob', at(1), 'x')] }),
      ]);
      const cursors = async (query: { agentId?: string; types?: EventType[]; incidentId?: string }) =>
        (await store.readEvents({ after: 0, limit: 10, ...query })).map(({ cursor }) => cursor);
      expect(await cursors({ agentId: 'ada' })).toEqual([1, 2, 4]);
      expect(await cursors({ agentId: 'fleet:red' })).toEqual([3]);
      expect(await cursors({ incidentId: 'i1' })).toEqual([2, 3, 4]);
      expect(await cursors({ types: ['TASK_CHANGED'] })).toEqual([1, 5]);
      expect(await cursors({ types: ['TASK_CHANGED', 'NUDGE_SENT'], agentId: 'ada' })).toEqual([1, 2]);
      expect(await cursors({ types: [] })).toEqual([]);
    });
  });
}
