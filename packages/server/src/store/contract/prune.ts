import { hours, minutes } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './kit.ts';
import {
  agentOf,
  at,
  beat,
  before,
  checkpointOf,
  commitOf,
  committed,
  incidentOf,
  nudge,
  taskChanged,
} from './kit.ts';
import { withStore } from './with-store.ts';

export function pruneContract(open: OpenStore): void {
  describe('pruning', () => {
    const current = withStore(open);

    it('removes old rows in small batches, and reports whether there may be more', async () => {
      const { store } = current;
      const events = [1, 2, 3, 4, 5, 60, 61].map((moment) => taskChanged('ada', at(moment), `${moment}`));
      await committed(store, commitOf(agentOf('ada'), 0, { events }));
      expect(await store.prune(before(50), 3)).toEqual({ pruned: 3, hasMore: true });
      expect((await store.readEvents({ after: 0, limit: 10 })).map(({ cursor }) => cursor)).toEqual([
        4, 5, 6, 7,
      ]);
      expect(await store.prune(before(50), 3)).toEqual({ pruned: 2, hasMore: false });
      expect(await store.prune(before(50), 3)).toEqual({ pruned: 0, hasMore: false });
      expect(await store.prune(before(99), 3)).toEqual({ pruned: 2, hasMore: false });
      expect(await store.lastCursor()).toBe(7);
      await committed(store, commitOf(agentOf('ada'), 1, { events: [taskChanged('ada', at(70), 'next')] }));
      expect((await store.readEvents({ after: 0, limit: 10 })).map(({ cursor }) => cursor)).toEqual([8]);
    });

    it('removes the oldest first, by event time', async () => {
      const { store } = current;
      const events = [9, 3, 7, 3].map((moment) => taskChanged('ada', at(moment), `${moment}`));
      await committed(store, commitOf(agentOf('ada'), 0, { events }));
      const left = async () => (await store.readEvents({ after: 0, limit: 9 })).map(({ cursor }) => cursor);
      await store.prune(before(50), 1);
      expect(await left()).toEqual([1, 3, 4]);
      await store.prune(before(50), 2);
      expect(await left()).toEqual([1]);
    });

    it('keeps everything of an agent while its incident is open', async () => {
      const { store } = current;
      const commit = { events: [taskChanged('ada', at(1), 'x')], effects: [nudge('e', 'ada')] };
      await committed(store, commitOf(agentOf('ada', { incident: incidentOf('i1') }), 0, commit));
      await committed(store, commitOf(agentOf('bob'), 0, { events: [taskChanged('bob', at(1), 'x')] }));
      await store.settleEffect('e', { at: at(2), outcome: 'done', detail: '' });
      expect(await store.prune(before(50), 10)).toEqual({ pruned: 1, hasMore: false });
      expect((await store.readEvents({ after: 0, limit: 10 })).map(({ agentId }) => agentId)).toEqual([
        'ada',
      ]);
      await committed(store, commitOf(agentOf('ada'), 1));
      expect(await store.prune(before(50), 10)).toEqual({ pruned: 2, hasMore: false });
      expect(await store.listEffects({ limit: 10 })).toEqual([]);
    });

    it('removes old checkpoints, except the newest of each agent and those of an open incident', async () => {
      const { store } = current;
      const write = async (agentId: string, count: number) => {
        for (let n = 1; n <= count; n++)
          await store.putCheckpoint(checkpointOf(`c${n}`, { agentId, at: at(n) }));
      };
      const left = async (agentId: string) =>
        (await store.listCheckpoints(agentId, 99)).map(({ checkpointId }) => checkpointId);
      await committed(store, commitOf(agentOf('ada'), 0));
      await committed(store, commitOf(agentOf('bob', { incident: incidentOf('i1') }), 0));
      for (const id of ['ada', 'bob']) await write(id, 25);
      await write('cat', 20);
      expect(await store.prune(before(4), 2)).toEqual({ pruned: 2, hasMore: true });
      expect(await store.prune(before(4), 2)).toEqual({ pruned: 1, hasMore: false });
      expect((await left('ada')).slice(-2)).toEqual(['c5', 'c4']);
      expect(await store.prune(before(99), 9)).toEqual({ pruned: 2, hasMore: false });
      expect(await left('ada')).toHaveLength(20);
      expect([await left('bob'), await left('cat')].map(({ length }) => length)).toEqual([25, 20]);
    });

    it('removes tokens that were revoked long ago, and log-ins of long ago', async () => {
      const { store } = current;
      const put = (id: string, second: number) =>
        store.putToken({
          id,
          hash: id,
          role: 'viewer',
          agentId: null,
          group: null,
          createdAt: at(second),
          revokedAt: null,
        });
      for (const id of ['old', 'page.old', 'revoked', 'revoked-late']) await put(id, 1);
      await put('page.new', 60);
      await store.revokeToken('revoked', at(2));
      await store.revokeToken('revoked-late', at(60));
      expect(await store.prune(before(50), 1)).toEqual({ pruned: 1, hasMore: true });
      expect(await store.prune(before(50), 3)).toEqual({ pruned: 1, hasMore: false });
      expect((await store.listTokens()).map(({ id }) => id)).toEqual(['old', 'page.new', 'revoked-late']);
    });

    const ended = (agentId: string, second: number, more: Parameters<typeof agentOf>[1] = {}) =>
      agentOf(agentId, {
        health: 'TERMINATED',
        at: at(second),
        end: { how: 'exit-0', at: at(second), detail: '' },
        ...more,
      });
    const ids = async () =>
      (await current.store.listAgents({ limit: 99 })).items.map(({ agent }) => agent.hard.agentId);

    it('removes agents that ended long ago, in batches, the oldest first, with what belongs to them', async () => {
      const { store } = current;
      await committed(store, commitOf(ended('ada', 2), 0, { events: [beat('ada', at(1))] }));
      await committed(store, commitOf(ended('bob', 1), 0));
      await committed(store, commitOf(ended('cyd', 60), 0));
      await committed(store, commitOf(agentOf('dan', { at: at(1) }), 0));
      await store.putCheckpoint(checkpointOf('c1', { agentId: 'ada', at: at(60) }));
      const put = (id: string) =>
        store.putToken({
          ...{ id, hash: id, role: 'agent', agentId: 'ada', group: null },
          ...{ createdAt: at(60), revokedAt: null },
        });
      for (const id of ['ada#1.x', 'by-hand']) await put(id);
      const cutoffs = { ...before(0), agents: at(50) };
      expect(await store.prune(cutoffs, 1)).toEqual({ pruned: 1, hasMore: true });
      expect(await ids()).toEqual(['ada', 'cyd', 'dan']);
      expect(await store.prune(cutoffs, 9)).toEqual({ pruned: 1, hasMore: false });
      expect(await ids()).toEqual(['cyd', 'dan']);
      expect(await store.load('ada')).toBeNull();
      expect(await store.listCheckpoints('ada', 9)).toEqual([]);
      expect((await store.listTokens()).map(({ id }) => id)).toEqual(['by-hand']);
      expect((await store.rollups({ from: at(0), to: at(99), agentId: 'ada' })).length).toBe(1);
      expect(await store.check()).toEqual([]);
      // It may come back, as a new agent.
      await committed(store, commitOf(agentOf('ada', { incarnation: 1 }), 0));
      expect(await ids()).toEqual(['ada', 'cyd', 'dan']);
    });

    it('keeps ended agents with an open incident, an open effect or a ping key', async () => {
      const { store } = current;
      await committed(store, commitOf(ended('ada', 1, { incident: incidentOf('i1') }), 0));
      await committed(store, commitOf(ended('bob', 1), 0, { effects: [nudge('e', 'bob')] }));
      await committed(store, commitOf(ended('cyd', 1), 0));
      await store.putToken({
        ...{ id: 'ping:cyd#1.x', hash: 'x', role: 'agent', agentId: 'cyd', group: null },
        ...{ createdAt: at(1), revokedAt: null },
      });
      await committed(store, commitOf(agentOf('dan', { at: at(1) }), 0));
      expect(await store.prune({ ...before(0), agents: at(50) }, 9)).toEqual({ pruned: 0, hasMore: false });
      expect(await store.removeEnded(['ada', 'bob', 'cyd', 'dan', 'nobody'])).toBe(0);
      await store.settleEffect('e', { at: at(2), outcome: 'done', detail: '' });
      await store.revokeToken('ping:cyd#1.x', at(3));
      expect(await store.removeEnded(['ada', 'bob', 'cyd', 'dan'])).toBe(2);
      expect(await ids()).toEqual(['ada', 'dan']);
      expect(await store.check()).toEqual([]);
    });

    it('keeps each sort for its own time', async () => {
      const { store } = current;
      const commit = { events: [taskChanged('ada', at(1), 'x')], effects: [nudge('e', 'ada')] };
      await committed(store, commitOf(agentOf('ada'), 0, commit));
      await store.settleEffect('e', { at: at(2), outcome: 'done', detail: '' });
      const kept = before(0);
      expect(await store.prune({ ...kept, checkpoints: at(50), tokens: at(50) }, 9)).toMatchObject({
        pruned: 0,
      });
      expect(await store.prune({ ...kept, effects: at(50) }, 9)).toMatchObject({ pruned: 1 });
      expect(await store.listEffects({ limit: 9 })).toEqual([]);
      expect(await store.readEvents({ after: 0, limit: 9 })).toHaveLength(1);
      expect(await store.prune({ ...kept, events: at(50) }, 9)).toMatchObject({ pruned: 1 });
    });

    it('removes whole hours of old roll-ups, in batches, except those of an open incident', async () => {
      const { store } = current;
      const hour = hours(1);
      const beats = (agentId: string) =>
        [1, hour + 1, 2 * hour + 1].map((second) => beat(agentId, at(second)));
      await committed(store, commitOf(agentOf('ada'), 0, { events: beats('ada') }));
      await committed(
        store,
        commitOf(agentOf('bob', { incident: incidentOf('i1') }), 0, { events: beats('bob') }),
      );
      const left = async (agentId: string) =>
        (await store.rollups({ from: at(0), to: at(3 * hour), agentId })).filter((row) => row.beats > 0);
      const first = await left('ada');
      expect(first.length).toBe(3);
      const [, second] = first;
      const cutoffs = { ...before(0), rollups: at(2 * hour + minutes(30)) };
      expect(await store.prune(cutoffs, 1)).toEqual({ pruned: 1, hasMore: true });
      expect((await left('ada'))[0]).toEqual(second);
      expect(await store.prune(cutoffs, 9)).toMatchObject({ pruned: 1, hasMore: false });
      expect([await left('ada'), await left('bob')].map(({ length }) => length)).toEqual([1, 3]);
    });

    it('keeps effects that are not settled, and roll-ups', async () => {
      const { store } = current;
      const effects = ['open', 'claimed', 'done', 'dead', 'fresh'].map((id) => nudge(id, 'ada'));
      await committed(store, commitOf(agentOf('ada'), 0, { effects, events: [beat('ada', at(1))] }));
      await store.claimEffects({ executors: [null], at: at(1), leaseMs: 10, limit: 2 });
      await store.settleEffect('done', { at: at(2), outcome: 'done', detail: '' });
      await store.settleEffect('dead', { at: at(2), outcome: 'unknown', detail: '', isDead: true });
      await store.settleEffect('fresh', { at: at(60), outcome: 'done', detail: '' });
      expect(await store.prune(before(50), 10)).toEqual({ pruned: 2, hasMore: false });
      const left = (await store.listEffects({ limit: 10 })).map(({ effect }) => effect.id);
      expect(left).toEqual(['fresh', 'claimed', 'open']);
      expect(await store.rollups({ from: at(0), to: at(10) })).toMatchObject([{ beats: 1 }]);
    });
  });
}
