import { NEVER } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './kit.ts';
import { agentOf, at, commitOf, committed, dueIds, softOf } from './kit.ts';
import { withStore } from './with-store.ts';

export function softContract(open: OpenStore): void {
  describe('soft facts', () => {
    const current = withStore(open);

    it('merges each fact by maximum, in any order and more than once', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada', {}, { tokens: 10, beatAt: at(5) }), 0));
      const newer = {
        agentId: 'ada',
        incarnation: 1,
        soft: softOf({ beatAt: at(9), tokens: 4, costUsd: 0.25 }),
      };
      const older = { agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(7), tokens: 30, cpuMs: 2 }) };
      await store.flushSoft([newer, older, newer]);
      await store.flushSoft([older]);
      await store.flushSoft([]);
      const merged = softOf({ beatAt: at(9), tokens: 30, costUsd: 0.25, cpuMs: 2 });
      expect((await store.load('ada'))?.agent.soft).toEqual(merged);
    });

    it('does not change the version, and a commit never reverts a soft fact', async () => {
      const { store } = current;
      const soft = softOf({ beatAt: at(8), pongAt: at(7), activityAt: at(6), probedAt: at(5), ioBytes: 9 });
      await committed(store, commitOf(agentOf('ada'), 0));
      await store.flushSoft([{ agentId: 'ada', incarnation: 1, soft }]);
      expect(await committed(store, commitOf(agentOf('ada', {}, { beatAt: at(2), tokens: 3 }), 1))).toBe(2);
      expect(await store.load('ada')).toEqual({
        agent: { ...agentOf('ada'), soft: { ...soft, tokens: 3 } },
        version: 2,
      });
    });

    it('ignores an entry of another incarnation and of an unknown agent', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada', { incarnation: 2 }), 0));
      await store.flushSoft([
        { agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(50), tokens: 99 }), beats: 7 },
        { agentId: 'ada', incarnation: 3, soft: softOf({ beatAt: at(60) }) },
        { agentId: 'nobody', incarnation: 1, soft: softOf({ beatAt: at(60) }), beats: 7 },
      ]);
      expect((await store.load('ada'))?.agent.soft).toEqual(softOf());
      expect(await store.load('nobody')).toBeNull();
      const counted = await store.rollups({ from: at(0), to: at(1_000) });
      expect(counted.map(({ beats }) => beats)).toEqual([0]);
    });

    it('resets with a new incarnation', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada', {}, { beatAt: at(5), tokens: 100 }), 0));
      await committed(store, commitOf(agentOf('ada', { incarnation: 2 }, { tokens: 1 }), 1));
      expect((await store.load('ada'))?.agent.soft).toEqual(softOf({ tokens: 1 }));
    });

    it('moves the next wake time only of a record that has not changed', async () => {
      const { store } = current;
      const soft = softOf({ beatAt: at(1) });
      const entry = (agentId: string, version: number, wakeAt: number, incarnation = 1) => ({
        agentId,
        incarnation,
        soft,
        wake: { version, at: at(wakeAt) },
      });
      for (const id of ['ada', 'bob', 'cat']) {
        await committed(store, commitOf(agentOf(id, { wakeAt: at(5) }), 0));
      }
      await committed(store, commitOf(agentOf('bob', { wakeAt: at(6) }), 1));
      await store.flushSoft([
        entry('ada', 1, 40),
        entry('ada', 1, 50),
        entry('bob', 1, 50),
        entry('cat', 1, 50, 2),
      ]);
      expect(await dueIds(store, 20)).toEqual(['cat', 'bob']);
      expect(await dueIds(store, 50)).toEqual(['cat', 'bob', 'ada']);
      const { agent, version } = (await store.load('ada')) ?? {};
      expect([agent?.hard.wakeAt, version]).toEqual([at(50), 1]);
      await store.flushSoft([entry('ada', 1, 3)]);
      expect(await store.nextWakeAt()).toBe(at(3));
      await store.flushSoft([{ ...entry('ada', 1, 0), wake: { version: 1, at: NEVER } }]);
      expect((await store.load('ada'))?.agent.hard.wakeAt).toBe(NEVER);
      expect(await store.check()).toEqual([]);
    });

    it('accepts thousands at once', async () => {
      const { store } = current;
      const ids = Array.from({ length: 3_000 }, (_, i) => `agent-${i}`);
      await store.commit(ids.map((id) => commitOf(agentOf(id), 0)));
      await store.flushSoft(
        ids.map((agentId, i) => ({ agentId, incarnation: 1, soft: softOf({ tokens: i }), beats: 1 })),
      );
      expect((await store.load('agent-2999'))?.agent.soft.tokens).toBe(2_999);
      expect((await store.load('agent-7'))?.agent.soft.tokens).toBe(7);
    });
  });
}
