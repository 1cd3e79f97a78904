import { describe, expect, it } from 'vitest';
import type { AgentQuery } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, commitOf, committed, dueIds, incidentOf } from './kit.ts';
import { withStore } from './with-store.ts';

export function dueContract(open: OpenStore): void {
  describe('due agents and agent lists', () => {
    const current = withStore(open);

    const begin = (wakes: Readonly<Record<string, number>>) =>
      current.store.commit(
        Object.entries(wakes).map(([id, wakeAt]) => commitOf(agentOf(id, { wakeAt: at(wakeAt) }), 0)),
      );

    it('lists due agents, earliest first and ties by id', async () => {
      const { store } = current;
      expect(await store.nextWakeAt()).toBeNull();
      await begin({ cyd: 20, bob: 10, ada: 20, dan: 21, eve: 20 });
      await committed(store, commitOf(agentOf('never'), 0));
      expect(await dueIds(store, 9)).toEqual([]);
      expect(await dueIds(store, 20)).toEqual(['bob', 'ada', 'cyd', 'eve']);
      expect(await dueIds(store, 20, 2)).toEqual(['bob', 'ada']);
      expect(await store.nextWakeAt()).toBe(at(10));
    });

    it('never skips a tie when due agents are read in small batches', async () => {
      const { store } = current;
      await begin(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`a${i}`, 7])));
      const seen: string[] = [];
      for (let batch = await dueIds(store, 7, 4); batch.length > 0; batch = await dueIds(store, 7, 4)) {
        seen.push(...batch);
        await store.commit(batch.map((id) => commitOf(agentOf(id, { wakeAt: at(8) }), 1)));
      }
      expect(new Set(seen).size).toBe(25);
      expect(seen.length).toBe(25);
      expect(await store.nextWakeAt()).toBe(at(8));
    });

    it('follows a wake time that moves forward and back', async () => {
      const { store } = current;
      await begin({ ada: 10 });
      await committed(store, commitOf(agentOf('ada', { wakeAt: at(30) }), 1));
      expect(await dueIds(store, 10)).toEqual([]);
      await committed(store, commitOf(agentOf('ada', { wakeAt: at(10) }), 2));
      expect(await dueIds(store, 30)).toEqual(['ada']);
      await committed(store, commitOf(agentOf('ada'), 3));
      expect(await dueIds(store, 99)).toEqual([]);
      expect(await store.nextWakeAt()).toBeNull();
    });

    it('counts the agents of a group that have not ended, and all agents by health', async () => {
      const { store } = current;
      const end = { how: 'exit-0', at: at(1), detail: '' } as const;
      await store.commit([
        commitOf(agentOf('a', { group: 'red' }), 0),
        commitOf(agentOf('b', { group: 'red', health: 'STUCK' }), 0),
        commitOf(agentOf('c', { group: 'red', health: 'TERMINATED', end }), 0),
        commitOf(agentOf('d', { group: 'blue' }), 0),
      ]);
      expect((await store.groupSize('red')).size).toBe(2);
      expect((await store.groupSize('green')).size).toBe(0);
      expect(await store.countByHealth()).toEqual({ HEALTHY: 2, STUCK: 1, TERMINATED: 1 });
      await store.commit([
        commitOf(agentOf('a', { group: 'blue' }), 1),
        commitOf(agentOf('c', { group: 'red', incarnation: 2 }), 1),
      ]);
      expect([(await store.groupSize('red')).size, (await store.groupSize('blue')).size]).toEqual([2, 2]);
      expect(await store.countByHealth()).toEqual({ HEALTHY: 3, STUCK: 1 });
    });

    it('lists agents in pages, by state, group, text and incident', async () => {
      const { store } = current;
      await store.commit([
        commitOf(agentOf('a1', { group: 'Größe', role: 'Builder' }), 0),
        commitOf(agentOf('a2', { health: 'STUCK', incident: incidentOf('i1') }), 0),
        commitOf(agentOf('B3', { health: 'STUCK' }, { tokens: 5 }), 0),
        commitOf(agentOf('a4', { role: '100%_sure' }), 0),
      ]);
      const ids = async (query: Omit<AgentQuery, 'limit'>) =>
        (await store.listAgents({ ...query, limit: 10 })).items.map(({ agent }) => agent.hard.agentId);
      expect(await ids({})).toEqual(['B3', 'a1', 'a2', 'a4']);
      expect(await ids({ health: 'STUCK' })).toEqual(['B3', 'a2']);
      expect(await ids({ hasIncident: true })).toEqual(['a2']);
      expect(await ids({ hasIncident: false, health: 'STUCK' })).toEqual(['B3']);
      expect(await ids({ group: 'Größe' })).toEqual(['a1']);
      expect(await ids({ text: 'build' })).toEqual(['a1']);
      expect(await ids({ text: 'b3' })).toEqual(['B3']);
      expect(await ids({ text: 'GRÖSSE' })).toEqual([]);
      expect(await ids({ text: '%_' })).toEqual(['a4']);
      const first = await store.listAgents({ limit: 3 });
      expect(
        first.items.map(({ agent, version }) => [agent.hard.agentId, agent.soft.tokens, version]),
      ).toEqual([
        ['B3', 5, 1],
        ['a1', 0, 1],
        ['a2', 0, 1],
      ]);
      expect(first.nextCursor).not.toBeNull();
      const rest = await store.listAgents({ limit: 3, cursor: first.nextCursor ?? '' });
      expect(rest.items.map(({ agent }) => agent.hard.agentId)).toEqual(['a4']);
      expect(rest.nextCursor).toBeNull();
    });
  });
}
