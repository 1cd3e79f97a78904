import { emptyFleetGuard } from '@holter/core';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, commitOf, committed, dueIds, hardOf, nudge, taskChanged } from './kit.ts';
import { withStore } from './with-store.ts';

export function commitsContract(open: OpenStore): void {
  describe('commits', () => {
    const current = withStore(open);

    it('is empty at first', async () => {
      expect(await current.store.load('ada')).toBeNull();
      expect(await current.store.commit([])).toEqual([]);
    });

    it('returns what was committed, with increasing versions', async () => {
      const { store } = current;
      const first = agentOf('ada', { wakeAt: at(5) });
      expect(await store.commit([commitOf(first, 0)])).toEqual([
        { kind: 'ok', version: 1, firstCursor: null },
      ]);
      expect(await store.load('ada')).toEqual({ agent: first, version: 1 });
      const second = agentOf('ada', { at: at(9), incidentCount: 3 });
      expect(await committed(store, commitOf(second, 1))).toBe(2);
      expect(await store.load('ada')).toEqual({ agent: second, version: 2 });
    });

    it('refuses a stale version, a second creation and a future version', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('ada'), 0));
      await committed(store, commitOf(agentOf('ada'), 1));
      for (const expectedVersion of [0, 1, 3]) {
        const [verdict] = await store.commit([commitOf(agentOf('ada', { role: 'other' }), expectedVersion)]);
        expect(verdict).toEqual({ kind: 'conflict', what: 'agent' });
      }
      const [unborn] = await store.commit([commitOf(agentOf('bob'), 1)]);
      expect(unborn).toEqual({ kind: 'conflict', what: 'agent' });
      expect(await store.load('bob')).toBeNull();
      expect(await store.load('ada')).toEqual({ agent: agentOf('ada'), version: 2 });
    });

    it('stores the other commits of a group when one conflicts', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('bob'), 0));
      const verdicts = await store.commit([
        commitOf(agentOf('ada'), 0, { events: [taskChanged('ada', at(1), 'one')] }),
        commitOf(agentOf('bob'), 0, {
          events: [taskChanged('bob', at(1), 'lost')],
          effects: [nudge('lost', 'bob')],
        }),
        commitOf(agentOf('cyd'), 0, { events: [taskChanged('cyd', at(1), 'two')] }),
      ]);
      expect(verdicts.map(({ kind }) => kind)).toEqual(['ok', 'conflict', 'ok']);
      const events = await store.readEvents({ after: 0, limit: 10 });
      expect(events.map(({ agentId }) => agentId)).toEqual(['ada', 'cyd']);
      expect(await store.listEffects({ limit: 10 })).toEqual([]);
    });

    it('takes several commits of one agent in one group', async () => {
      const { store } = current;
      const verdicts = await store.commit([
        commitOf(agentOf('ada'), 0),
        commitOf(agentOf('ada', { at: at(1) }), 1),
        commitOf(agentOf('ada', { at: at(2) }), 1),
      ]);
      expect(verdicts.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'conflict']);
      expect(await store.load('ada')).toEqual({ agent: agentOf('ada', { at: at(1) }), version: 2 });
    });

    it('versions the fleet, and a fleet conflict undoes the whole commit', async () => {
      const { store } = current;
      expect(await store.loadFleet()).toEqual({ fleet: emptyFleetGuard, version: 0 });
      const fleet = { ...emptyFleetGuard, brakes: { default: { losses: [{ agentHash: 1, at: at(1) }] } } };
      const [first] = await store.commit([
        commitOf(agentOf('ada'), 0, { fleet: { fleet, expectedVersion: 0, version: 2 ** 52 + 1 } }),
      ]);
      expect(first).toEqual({ kind: 'ok', version: 1, firstCursor: null });
      expect(await store.loadFleet()).toEqual({ fleet, version: 2 ** 52 + 1 });
      for (const expectedVersion of [0, 1, 2 ** 52]) {
        const [verdict] = await store.commit([
          commitOf(agentOf('bob', {}, { tokens: 7 }), 0, {
            fleet: { fleet: emptyFleetGuard, expectedVersion, version: 7 },
            events: [taskChanged('bob', at(1), 'lost')],
            effects: [nudge('lost', 'bob')],
          }),
        ]);
        expect(verdict).toEqual({ kind: 'conflict', what: 'fleet' });
      }
      expect(await store.load('bob')).toBeNull();
      expect(await store.lastCursor()).toBe(0);
      expect(await store.listEffects({ limit: 10 })).toEqual([]);
      expect(await store.loadFleet()).toEqual({ fleet, version: 2 ** 52 + 1 });
    });

    it('refuses a writer that has seen newer events: the store is then an older copy', async () => {
      const { store } = current;
      const [first] = await store.commit([
        commitOf(agentOf('ada'), 0, {
          events: [taskChanged('ada', at(1), 'one')],
          effects: [nudge('e1', 'ada')],
        }),
      ]);
      expect(first).toEqual({ kind: 'ok', version: 1, firstCursor: 1 });
      const claim = { executors: ['host', null], at: at(2), leaseMs: 1_000, limit: 5 };
      for (const refused of [
        store.commit([commitOf(agentOf('bob'), 0)], 2),
        store.claimEffects({ ...claim, seen: 2 }),
      ]) {
        expect(await refused.catch((error: unknown) => error)).toMatchObject({ code: 'older' });
      }
      expect(await store.load('bob')).toBeNull();
      expect(await store.commit([commitOf(agentOf('bob'), 0)], 1)).toMatchObject([{ kind: 'ok' }]);
      expect(await store.claimEffects({ ...claim, seen: 1 })).toHaveLength(1);
    });

    it('keeps everything when it is reopened', async () => {
      const before = agentOf('ada', { wakeAt: at(5) }, { tokens: 12 });
      const commit = commitOf(before, 0, {
        fleet: {
          fleet: { ...emptyFleetGuard, brakes: { g: { losses: [] } } },
          expectedVersion: 0,
          version: 7,
        },
        events: [taskChanged('ada', at(1), 'done')],
        effects: [nudge('e1', 'ada')],
      });
      await committed(current.store, commit);
      const events = await current.store.readEvents({ after: 0, limit: 10 });
      await current.reopen();
      const { store } = current;
      expect(await store.load('ada')).toEqual({ agent: before, version: 1 });
      expect((await store.loadFleet()).version).toBe(7);
      expect(await store.readEvents({ after: 0, limit: 10 })).toEqual(events);
      expect(await dueIds(store, 5)).toEqual(['ada']);
      expect((await store.listEffects({ limit: 10 })).map(({ effect }) => effect.id)).toEqual(['e1']);
      expect(await store.check()).toEqual([]);
    });

    it('archives the last state of each earlier incarnation, and of one that has ended', async () => {
      const { store } = current;
      const first = hardOf('ada', { at: at(3), health: 'FAILING' });
      await committed(store, commitOf({ ...agentOf('ada'), hard: first }, 0));
      expect(await store.listFinalStates('ada', 10)).toEqual([]);
      await committed(store, commitOf(agentOf('ada', { incarnation: 2 }), 1));
      const ended = hardOf('ada', { incarnation: 2, health: 'TERMINATED', at: at(9) });
      await committed(store, commitOf({ ...agentOf('ada'), hard: { ...ended, at: at(8) } }, 2));
      await committed(store, commitOf({ ...agentOf('ada'), hard: ended }, 3));
      await committed(store, commitOf(agentOf('ada', { incarnation: 3 }), 4));
      expect(await store.listFinalStates('ada', 10)).toEqual([ended, first]);
      expect(await store.listFinalStates('ada', 1)).toEqual([ended]);
      expect(await store.listFinalStates('bob', 10)).toEqual([]);
    });

    it('keeps the last states of at most fifty incarnations', async () => {
      const { store } = current;
      for (let start = 1; start <= 53; start++)
        await committed(store, commitOf(agentOf('ada', { incarnation: start }), start - 1));
      const kept = (await store.listFinalStates('ada', 99)).map(({ incarnation }) => incarnation);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([50, 52, 3]);
    });

    it('reports when it is closed', async () => {
      const { store } = current;
      await store.close();
      const failure = await store.load('ada').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StoreUnavailable);
      expect(failure).toMatchObject({ code: 'closed' });
      await store.close();
    });
  });
}
