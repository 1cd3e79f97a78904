import { emptyFleetGuard } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../operations.ts';
import type { Store } from '../store.ts';
import type { OpenStore } from './kit.ts';
import {
  agentOf,
  at,
  before,
  checkpointOf,
  commitOf,
  committed,
  nudge,
  putLetter,
  softOf,
  spendingOf,
  taskChanged,
} from './kit.ts';
import { withStore } from './with-store.ts';

/** `a` writes and `b` reads, or both write and one of them comes second. */
type Check = (a: Store, b: Store) => Promise<void>;

const begin = (store: Store, agentId = 'ada') =>
  committed(
    store,
    commitOf(agentOf(agentId, { wakeAt: at(5), group: 'red' }), 0, {
      events: [taskChanged(agentId, at(1), 'begun')],
      effects: [nudge(`${agentId}/e`, agentId)],
    }),
  );

const claimOf = (moment: number) => ({ executors: [null], at: at(moment), leaseMs: 100, limit: 9 });
const dueOf = (moment: number) => ({ at: at(moment), leaseMs: 100, limit: 9 });
const token = { hash: 'h', role: 'viewer', agentId: null, group: null, createdAt: at(0) } as const;

const inbox = { of: 'bob', box: 'inbox' } as const;

const OPERATIONS: Record<Exclude<Operation, 'backup' | 'check' | 'close'>, Check> = {
  load: async (a, b) => {
    await begin(a);
    expect(await b.load('ada')).toEqual(await a.load('ada'));
  },
  loadMany: async (a, b) => {
    await begin(a);
    await begin(b, 'bob');
    const ids = (await a.loadMany(['bob', 'ada', 'nobody'])).map(({ agent }) => agent.hard.agentId).sort();
    expect(ids).toEqual(['ada', 'bob']);
  },
  commit: async (a, b) => {
    await begin(a);
    expect(await b.commit([commitOf(agentOf('ada'), 0)])).toEqual([{ kind: 'conflict', what: 'agent' }]);
    expect(await committed(b, commitOf(agentOf('ada'), 1))).toBe(2);
    expect(await a.commit([commitOf(agentOf('ada'), 1)])).toEqual([{ kind: 'conflict', what: 'agent' }]);
  },
  flushSoft: async (a, b) => {
    await begin(a);
    await a.flushSoft([{ agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(9), tokens: 1 }) }]);
    await b.flushSoft([{ agentId: 'ada', incarnation: 1, soft: softOf({ beatAt: at(7), tokens: 5 }) }]);
    expect((await a.load('ada'))?.agent.soft).toEqual(softOf({ beatAt: at(9), tokens: 5 }));
  },
  loadFleet: async (a, b) => {
    const fleet = { fleet: emptyFleetGuard, expectedVersion: 0, version: 7 };
    await committed(a, commitOf(agentOf('ada'), 0, { fleet }));
    expect((await b.loadFleet()).version).toBe(7);
    expect(await b.commit([commitOf(agentOf('bob'), 0, { fleet })])).toEqual([
      { kind: 'conflict', what: 'fleet' },
    ]);
  },
  claimDue: async (a, b) => {
    await begin(a);
    await begin(a, 'bob');
    const names = async (store: Store, moment: number) =>
      (await store.claimDue(dueOf(moment))).map(({ agentId }) => agentId);
    expect(await names(a, 5)).toEqual(['ada', 'bob']);
    expect(await names(b, 104)).toEqual([]);
    // One agent is judged; the claimer of the other has crashed.
    await committed(b, commitOf(agentOf('ada', { wakeAt: at(50) }), 1));
    expect(await names(b, 60)).toEqual(['ada']);
    expect(await names(b, 105)).toEqual(['bob']);
    await a.flushSoft([
      { agentId: 'bob', incarnation: 1, soft: softOf(), wake: { version: 1, at: at(106) } },
    ]);
    expect(await names(a, 106)).toEqual(['bob']);
  },
  nextWakeAt: async (a, b) => {
    await begin(a);
    expect(await b.nextWakeAt()).toBe(at(5));
  },
  listAgents: async (a, b) => {
    await begin(a);
    expect((await b.listAgents({ limit: 9 })).items).toHaveLength(1);
  },
  groupSize: async (a, b) => {
    await begin(a);
    await begin(b, 'bob');
    expect(await a.groupSize('red')).toEqual({ size: 2, cursor: 2 });
    expect(await b.groupSize('red')).toEqual({ size: 2, cursor: 2 });
  },
  countByHealth: async (a, b) => {
    await begin(a);
    expect(await b.countByHealth()).toEqual({ HEALTHY: 1 });
  },
  claimEffects: async (a, b) => {
    await begin(a);
    expect(await b.claimEffects(claimOf(0))).toHaveLength(1);
    expect(await a.claimEffects(claimOf(99))).toEqual([]);
    expect(await a.claimEffects(claimOf(100))).toMatchObject([{ tries: 2 }]);
  },
  renewEffects: async (a, b) => {
    await begin(a);
    await a.claimEffects(claimOf(0));
    await a.renewEffects([{ effectId: 'ada/e', tries: 1 }], at(150));
    expect(await b.claimEffects(claimOf(149))).toEqual([]);
    expect(await b.claimEffects(claimOf(150))).toMatchObject([{ tries: 2 }]);
    await a.renewEffects([{ effectId: 'ada/e', tries: 1 }], at(999));
    await a.retryEffect('ada/e', at(160), 'released', 2);
    await b.renewEffects([{ effectId: 'ada/e', tries: 2 }], at(999));
    expect(await a.claimEffects(claimOf(160))).toMatchObject([{ tries: 3 }]);
  },
  addEffects: async (a, b) => {
    const order = { effects: [nudge('alert/1', 'ada')], at: at(0), correlationId: 'c' };
    const swap = (expected: string | null, value: string) => ({ key: 'alerts', expected, value });
    expect(await a.addEffects({ ...order, swap: swap(null, 'mine') })).toBe(true);
    expect(await b.addEffects({ ...order, swap: swap('mine', 'yours') })).toBe(true);
    const late = { ...order, effects: [nudge('alert/2', 'ada')] };
    expect(await a.addEffects({ ...late, swap: swap('mine', 'late') })).toBe(false);
    expect(await a.claimEffects(claimOf(0))).toHaveLength(1);
    expect(await a.getMeta('alerts')).toBe('yours');
  },
  readEffect: async (a, b) => {
    await begin(a);
    expect(await b.readEffect('ada/e')).toEqual(await a.readEffect('ada/e'));
  },
  settleEffect: async (a, b) => {
    await begin(a);
    const done = { at: at(1), outcome: 'done', detail: '' } as const;
    expect(await b.settleEffect('ada/e', done)).toBe('settled');
    expect(await a.settleEffect('ada/e', done)).toBe('already-settled');
    expect(await a.claimEffects(claimOf(999))).toEqual([]);
  },
  retryEffect: async (a, b) => {
    await begin(a);
    await a.claimEffects(claimOf(0));
    await b.claimEffects(claimOf(100));
    await a.retryEffect('ada/e', at(101), 'late', 1);
    expect(await a.claimEffects(claimOf(150))).toEqual([]);
    await b.retryEffect('ada/e', at(150), 'mine', 2);
    expect(await a.claimEffects(claimOf(150))).toMatchObject([{ tries: 3 }]);
  },
  offerEffect: async (a, b) => {
    await begin(a);
    await a.claimEffects(claimOf(0));
    const offer = { at: at(1), againAt: at(60), detail: 'waits', tries: 1 };
    await a.offerEffect('ada/e', offer);
    expect(await b.listEffects({ isOffered: true, limit: 9 })).toMatchObject([{ isOffered: true, tries: 1 }]);
    expect(await b.claimEffects(claimOf(59))).toEqual([]);
    expect(await b.claimEffects(claimOf(60))).toMatchObject([{ tries: 2 }]);
    await a.offerEffect('ada/e', { ...offer, againAt: at(61) });
    expect(await a.claimEffects(claimOf(61))).toEqual([]);
    await b.settleEffect('ada/e', { at: at(70), outcome: 'delivered', detail: '' });
    await a.offerEffect('ada/e', { ...offer, tries: 2 });
    expect(await a.listEffects({ isOffered: true, limit: 9 })).toEqual([]);
  },
  listEffects: async (a, b) => {
    await begin(a);
    expect(await b.listEffects({ limit: 9 })).toEqual(await a.listEffects({ limit: 9 }));
  },
  readEffectChanges: async (a, b) => {
    await begin(a);
    await begin(b, 'bob');
    await b.offerEffect('ada/e', { at: at(1), againAt: at(2), detail: '' });
    await a.offerEffect('ada/e', { at: at(3), againAt: at(4), detail: 'again is no change' });
    await a.settleEffect('ada/e', { at: at(5), outcome: 'delivered', detail: '' });
    const told = (await b.readEffectChanges({ after: 1, limit: 9 })).map(
      ({ cursor, what, stored }) => `${cursor} ${what} ${stored.effect.id} ${stored.status}`,
    );
    expect(told).toEqual(['2 ordered bob/e pending', '3 offered ada/e done', '4 settled ada/e done']);
    expect(await a.readEffectChanges({ after: 2, limit: 1 })).toMatchObject([{ cursor: 3 }]);
  },
  lastEffectChange: async (a, b) => {
    expect(await b.lastEffectChange()).toBe(0);
    await begin(a);
    expect(await b.lastEffectChange()).toBe(1);
    await committed(b, commitOf(agentOf('ada'), 1, { effects: [nudge('ada/e', 'ada')] }));
    expect(await a.lastEffectChange()).toBe(1);
  },
  readEvents: async (a, b) => {
    await begin(a);
    await begin(b, 'bob');
    await begin(a, 'cyd');
    const cursors = (await b.readEvents({ after: 0, limit: 9 })).map(({ cursor, agentId }) => [
      cursor,
      agentId,
    ]);
    expect(cursors).toEqual([
      [1, 'ada'],
      [2, 'bob'],
      [3, 'cyd'],
    ]);
  },
  lastCursor: async (a, b) => {
    await begin(a);
    expect(await b.lastCursor()).toBe(1);
  },
  putCheckpoint: async (a, b) => {
    expect(await a.putCheckpoint(checkpointOf('k1'))).toBe('stored');
    expect(await b.putCheckpoint(checkpointOf('k1', { content: '{"other":1}' }))).toBe('exists');
  },
  listCheckpoints: async (a, b) => {
    await a.putCheckpoint(checkpointOf('k1'));
    await b.putCheckpoint(checkpointOf('k2'));
    const ids = (await a.listCheckpoints('ada', 9)).map(({ checkpointId }) => checkpointId);
    expect(ids).toEqual(['k2', 'k1']);
  },
  readCheckpoint: async (a, b) => {
    await a.putCheckpoint(checkpointOf('k1'));
    expect(await b.readCheckpoint('ada', 'k1')).toEqual(checkpointOf('k1'));
  },
  deleteCheckpoints: async (a, b) => {
    await a.putCheckpoint(checkpointOf('k1'));
    await b.deleteCheckpoints('ada', ['k1']);
    expect(await a.listCheckpoints('ada', 9)).toEqual([]);
  },
  putToken: async (a, b) => {
    await a.putToken({ ...token, id: 't', revokedAt: null });
    expect(await b.findToken('h')).toMatchObject({ id: 't' });
  },
  findToken: async (a, b) => {
    expect(await b.findToken('h')).toBeNull();
    await a.putToken({ ...token, id: 't', revokedAt: at(3) });
    expect(await b.findToken('h')).toMatchObject({ revokedAt: at(3) });
  },
  listTokens: async (a, b) => {
    await a.putToken({ ...token, id: 't', revokedAt: null });
    expect(await b.listTokens()).toHaveLength(1);
  },
  revokeToken: async (a, b) => {
    await a.putToken({ ...token, id: 't', revokedAt: null });
    expect(await b.revokeToken('t', at(4))).toBe(true);
    expect(await a.revokeToken('t', at(5))).toBe(false);
    expect(await a.findToken('h')).toMatchObject({ revokedAt: at(4) });
  },
  clock: async (a, b) => {
    const [first, second] = [await a.clock(), await b.clock()];
    expect(typeof second).toBe(typeof first);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(0);
  },
  getMeta: async (a, b) => {
    await a.putMeta('k', '1');
    expect(await b.getMeta('k')).toBe('1');
  },
  putMeta: async (a, b) => {
    await a.putMeta('k', '1');
    await b.putMeta('k', '2');
    expect(await a.getMeta('k')).toBe('2');
  },
  swapMeta: async (a, b) => {
    expect(await a.swapMeta('k', null, '1')).toBe(true);
    expect(await b.swapMeta('k', null, '2')).toBe(false);
    expect(await b.swapMeta('k', '1', '2')).toBe(true);
    expect(await a.swapMeta('k', '1', null)).toBe(false);
    expect(await a.swapMeta('k', '2', null)).toBe(true);
    expect(await b.getMeta('k')).toBeNull();
  },
  listMeta: async (a, b) => {
    await a.putMeta('runs/b', '2');
    await b.putMeta('runs/a', '1');
    await b.putMeta('runs', 'no');
    await b.putMeta('RUNS/c', 'no');
    expect(await a.listMeta('runs/')).toEqual([
      { key: 'runs/a', value: '1' },
      { key: 'runs/b', value: '2' },
    ]);
  },
  prune: async (a, b) => {
    await begin(a);
    expect(await b.prune(before(100), 9)).toMatchObject({ pruned: 1 });
    expect(await a.readEvents({ after: 0, limit: 9 })).toEqual([]);
    expect([await a.lastCursor(), await a.lastEffectChange()]).toEqual([1, 1]);
  },
  removeEnded: async (a, b) => {
    const end = { how: 'exit-0', at: at(1), detail: '' } as const;
    await committed(a, commitOf(agentOf('ada', { health: 'TERMINATED', end }), 0));
    expect([await b.removeEnded(['ada']), await a.removeEnded(['ada'])]).toEqual([1, 0]);
    expect(await a.load('ada')).toBeNull();
  },
  inspect: async (a, b) => {
    expect(typeof (await a.inspect()).now).toBe(typeof (await b.inspect()).now);
    expect((await b.inspect()).hindrances).toEqual([]);
  },
  rollups: async (a, b) => {
    await begin(a);
    const soft = softOf({ beatAt: at(1) });
    await a.flushSoft([{ agentId: 'ada', incarnation: 1, soft, beats: 2 }]);
    await b.flushSoft([{ agentId: 'ada', incarnation: 1, soft, beats: 3 }]);
    expect(await a.rollups({ from: at(0), to: at(9) })).toMatchObject([{ beats: 5 }]);
  },
  stateTime: async (a, b) => {
    await begin(a);
    const query = { from: at(0), to: at(1_000) };
    expect(await b.stateTime(query)).toEqual(await a.stateTime(query));
  },
  spending: async (a, b) => {
    await begin(a);
    const spending = [spendingOf()];
    await committed(b, commitOf(agentOf('ada'), 1, { spending }));
    await committed(a, commitOf(agentOf('ada'), 2, { spending }));
    expect(await b.spending({ from: at(0), by: [], limit: 1 })).toMatchObject([{ tokens: 20 }]);
  },
  putStripPage: async (a, b) => {
    await a.putStripPage({ at: at(0), writer: 'a', body: '1' });
    await b.putStripPage({ at: at(0), writer: 'b', body: '2' });
    expect((await a.stripPages(at(0), at(1))).map(({ writer }) => writer)).toEqual(['a', 'b']);
  },
  stripPages: async (a, b) => {
    await a.putStripPage({ at: at(0), writer: 'a', body: '1' });
    expect(await b.stripPages(at(0), at(1))).toHaveLength(1);
  },
  listFinalStates: async (a, b) => {
    await begin(a);
    await committed(b, commitOf(agentOf('ada', { incarnation: 2 }), 1));
    expect(await a.listFinalStates('ada', 9)).toMatchObject([{ incarnation: 1 }]);
  },
  putLetter: async (a, b) => {
    expect(await putLetter(a, 'm1', { clientId: 'c1' })).toMatchObject({ kind: 'stored' });
    expect(await putLetter(b, 'm2', { clientId: 'c1' })).toMatchObject({ kind: 'exists' });
  },
  readLetter: async (a, b) => {
    await putLetter(a, 'm1');
    expect(await b.readLetter('m1')).toEqual(await a.readLetter('m1'));
  },
  listLetters: async (a, b) => {
    await putLetter(a, 'm1');
    await putLetter(b, 'm2');
    const ids = (await a.listLetters({ ...inbox, limit: 9 })).map(({ letterId }) => letterId);
    expect(ids).toEqual(['m2', 'm1']);
  },
  countLetters: async (a, b) => {
    await putLetter(a, 'm1');
    expect(await b.countLetters(inbox)).toMatchObject({ total: 1, unread: 1 });
  },
  countUnread: async (a, b) => {
    await putLetter(a, 'm1');
    expect(await b.countUnread(['bob'])).toEqual({ bob: 1 });
  },
  markLetters: async (a, b) => {
    await putLetter(a, 'm1');
    const mark = { to: 'bob', letterIds: ['m1'], as: 'read', at: at(2) } as const;
    const marked = await Promise.all([a.markLetters(mark), b.markLetters(mark)]);
    expect(marked.flat()).toEqual(['m1']);
  },
  deleteLetter: async (a, b) => {
    await putLetter(a, 'm1');
    expect(await b.deleteLetter('bob', 'm1')).toBe(true);
    expect(await a.deleteLetter('bob', 'm1')).toBe(false);
  },
};

/** Two writers on the same data: each sees what the other committed. */
export function writersContract(open: OpenStore): void {
  describe('a second writer', () => {
    const current = withStore(open);
    it.each(Object.entries(OPERATIONS))('%s', async (_operation, check) => {
      await check(current.store, await current.second());
    });

    it('keeps working when the first is closed', async () => {
      const second = await current.second();
      await begin(current.store);
      await current.store.close();
      expect(await committed(second, commitOf(agentOf('ada'), 1))).toBe(2);
    });
  });
}
