import type { Effect } from '@holter/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './kit.ts';
import { agentOf, at, commitOf, committed, nudge, taskChanged } from './kit.ts';
import { withStore } from './with-store.ts';

const cancellation = (effectId: string, moment: number, code: string, because: string) => ({
  at: at(moment),
  incarnation: 1,
  type: 'EFFECT_CANCELLED',
  payload: { agentId: 'ada', effectId, code, because },
});

export function effectsContract(open: OpenStore): void {
  describe('effects', () => {
    const current = withStore(open);

    const wish = (...effects: ReturnType<typeof nudge>[]) =>
      committed(current.store, commitOf(agentOf('ada'), 0, { effects }));

    const claim = async (moment: number, executors: readonly (string | null)[] = [null], limit = 10) => {
      const claimed = await current.store.claimEffects({ executors, at: at(moment), leaseMs: 100, limit });
      return claimed.map(({ effect, tries }) => `${effect.id} ${tries}`);
    };

    it('hands out the oldest first, complete, and only to their executor', async () => {
      await wish(nudge('z', 'ada'), nudge('m', 'ada', { executor: 'host-1' }), nudge('a', 'ada'));
      expect(await claim(0, ['host-2'])).toEqual([]);
      expect(await claim(0, [])).toEqual([]);
      expect(await claim(0, [null], 1)).toEqual(['z 1']);
      const [second] = await current.store.claimEffects({
        executors: ['host-1', null],
        at: at(0),
        leaseMs: 100,
        limit: 1,
      });
      expect(second).toEqual({
        effect: nudge('m', 'ada', { executor: 'host-1' }),
        tries: 1,
        correlationId: 'c1',
      });
      expect(await claim(0, ['host-1', null])).toEqual(['a 1']);
    });

    it('orders effects beside those of agents, once, together with a named value', async () => {
      const alert = nudge('alert/1', 'fleet:crew');
      const order = (value: string, expected: string | null) => ({
        effects: [alert],
        at: at(5),
        correlationId: 'alert/1',
        swap: { key: 'alerts', expected, value },
      });
      expect(await current.store.readEffect('alert/1')).toBeNull();
      await current.store.addEffects(order('first', null));
      expect(await claim(5)).toEqual(['alert/1 1']);
      await current.store.settleEffect('alert/1', { at: at(6), outcome: 'posted', detail: 'sent' });
      await current.store.addEffects(order('second', 'first'));
      await current.reopen();
      expect(await claim(500)).toEqual([]);
      expect(await current.store.getMeta('alerts')).toBe('second');
      expect(await current.store.readEffect('alert/1')).toMatchObject({
        effect: alert,
        status: 'done',
        outcome: 'posted',
        createdAt: at(5),
        correlationId: 'alert/1',
      });
    });

    it('hands out stops and starts before messages, and messages before notices', async () => {
      const terminate = { kind: 'terminate', reason: 'it loops', cleanupMs: 1 } as Partial<Effect>;
      const notify = { kind: 'notify', audience: 'operator', severity: 'info', incidentId: null } as const;
      await wish(
        nudge('notice', 'ada', notify as Partial<Effect>),
        nudge('word', 'ada'),
        nudge('kill', 'ada', terminate),
      );
      expect(await claim(0, [null], 1)).toEqual(['kill 1']);
      expect(await claim(0)).toEqual(['word 1', 'notice 1']);
    });

    it('cancels only pending effects of the incident or incarnation that a commit ends', async () => {
      const { store } = current;
      const start = { livesBy: 'start:ada#1' } as const;
      await wish(nudge('claimed', 'ada'), nudge('pending', 'ada'), nudge('other', 'ada', start));
      expect(await claim(0, [null], 1)).toEqual(['claimed 1']);
      const effects = [nudge('reopened', 'ada')];
      const cancelling = commitOf(agentOf('ada', { at: at(1) }), 1, {
        effects,
        events: [taskChanged('ada', at(1), 'ended')],
        over: ['incident:ada/1'],
      });
      const event = cancellation('pending', 1, 'over', 'what it was for is over');
      expect(await store.commit([cancelling, commitOf(agentOf('bob'), 0)])).toEqual([
        { kind: 'ok', version: 2, firstCursor: 1, cancelled: [event] },
        { kind: 'ok', version: 1, firstCursor: null },
      ]);
      expect((await store.readEvents({ after: 1, limit: 9 })).map((each) => each.event)).toEqual([event]);
      expect(await claim(1)).toEqual(['other 1', 'reopened 1']);
      // Claimed by an executor, which checks again when its lease ends.
      expect(await claim(100)).toEqual(['claimed 2']);
      const [cancelled] = (await store.listEffects({ status: 'done', limit: 9 })) ?? [];
      expect(cancelled).toMatchObject({ effect: { id: 'pending' }, outcome: 'cancelled' });
      expect((await current.store.check()).length).toBe(0);
    });

    it('does not hand out expired effects', async () => {
      await wish(nudge('e', 'ada', { until: at(50) }));
      expect(await claim(0)).toEqual(['e 1']);
      expect(await claim(100)).toEqual([]);
      expect(await current.store.listEffects({ limit: 9 })).toMatchObject([
        { status: 'done', outcome: 'cancelled', detail: 'out of date' },
      ]);
      expect(await current.store.readEvents({ after: 0, limit: 9 })).toMatchObject([
        {
          cursor: 1,
          correlationId: 'c1',
          agentId: 'ada',
          event: cancellation('e', 100, 'out-of-date', 'out of date'),
        },
      ]);
    });

    it('logs cancellations after the events of all commits, under their incident; not those of notices', async () => {
      const { store } = current;
      const notice = nudge('notice', 'ada', { kind: 'notify' } as Partial<Effect>);
      const step = { incidentId: 'ada/1', step: 'nudge', attempt: 1 } as const;
      await wish(nudge('one', 'ada', { step }), notice, nudge('two', 'ada'));
      const events = (agentId: string) => [taskChanged(agentId, at(7), 'begun')];
      const verdicts = await store.commit([
        commitOf(agentOf('ada', { at: at(7) }), 1, { events: events('ada'), over: ['incident:ada/1'] }),
        commitOf(agentOf('bob', { at: at(7) }), 0, { events: events('bob') }),
      ]);
      expect(verdicts).toMatchObject([{ firstCursor: 1 }, { firstCursor: 2 }]);
      const logged = await store.readEvents({ after: 2, limit: 9 });
      expect(logged.map(({ cursor, event }) => [cursor, event])).toEqual([
        [3, cancellation('one', 7, 'over', 'what it was for is over')],
        [4, cancellation('two', 7, 'over', 'what it was for is over')],
      ]);
      const ofIncident = await store.readEvents({ after: 0, incidentId: 'ada/1', limit: 9 });
      expect(ofIncident.map(({ cursor }) => cursor)).toEqual([3]);
      expect((await store.listEffects({ isOpen: true, limit: 9 })).length).toBe(0);
      await committed(store, commitOf(agentOf('bob'), 1, { events: events('bob') }));
      expect(await store.lastCursor()).toBe(5);
    });

    it('stores one effect per decision, even if it is committed again', async () => {
      const { store } = current;
      await wish(nudge('e', 'ada'), nudge('e', 'ada', { executor: 'other' }));
      await claim(0);
      await committed(store, commitOf(agentOf('ada'), 1, { effects: [nudge('e', 'ada')] }));
      expect(await claim(50)).toEqual([]);
      await store.settleEffect('e', { at: at(60), outcome: 'done', detail: '' });
      await committed(store, commitOf(agentOf('ada'), 2, { effects: [nudge('e', 'ada')] }));
      expect(await claim(999)).toEqual([]);
      expect(await store.listEffects({ limit: 10 })).toHaveLength(1);
    });

    it('lists open effects, claimed or not, newest first', async () => {
      const { store } = current;
      await wish(nudge('a', 'ada'), nudge('b', 'ada'), nudge('c', 'ada'));
      await claim(0, [null], 2);
      await store.settleEffect('b', { at: at(1), outcome: 'done', detail: '' });
      const open = await store.listEffects({ isOpen: true, limit: 10 });
      expect(open.map(({ effect }) => effect.id)).toEqual(['c', 'a']);
    });

    it('makes an effect claimable again when its lease ends', async () => {
      await wish(nudge('e', 'ada'));
      expect(await claim(0)).toEqual(['e 1']);
      expect(await claim(99)).toEqual([]);
      expect(await claim(100)).toEqual(['e 2']);
      expect(await claim(199)).toEqual([]);
      expect(await claim(200)).toEqual(['e 3']);
    });

    it('never gives one effect to two claimers', async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
      await wish(...ids.map((id) => nudge(id, 'ada')));
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(0, [null], 7)));
      const taken = claims.flat();
      expect(taken).toHaveLength(40);
      expect(new Set(taken).size).toBe(40);
    });

    it('settles once, and reports a second attempt', async () => {
      const { store } = current;
      await wish(nudge('e', 'ada'), nudge('dead', 'ada'));
      await claim(0);
      const seen = { at: at(5), outcome: 'seen', detail: 'by hook' } as const;
      expect(await store.settleEffect('e', seen)).toBe('settled');
      expect(await store.settleEffect('e', { at: at(6), outcome: 'refused', detail: '' })).toBe(
        'already-settled',
      );
      expect(await store.settleEffect('none', seen)).toBe('unknown');
      await store.settleEffect('dead', { at: at(7), outcome: 'unknown', detail: '8 tries', isDead: true });
      await store.retryEffect('dead', at(8), 'too late');
      expect(await claim(9_999)).toEqual([]);
      const list = await store.listEffects({ agentId: 'ada', limit: 10 });
      expect(list.map(({ effect, status, outcome, detail }) => [effect.id, status, outcome, detail])).toEqual(
        [
          ['dead', 'dead', 'unknown', '8 tries'],
          ['e', 'done', 'seen', 'by hook'],
        ],
      );
      expect(list[0]).toMatchObject({ tries: 1, createdAt: at(0), correlationId: 'c1' });
    });

    it('settles an effect that was never claimed', async () => {
      const { store } = current;
      await wish(nudge('e', 'ada'));
      expect(await store.settleEffect('e', { at: at(1), outcome: 'cancelled', detail: '' })).toBe('settled');
      expect(await claim(5)).toEqual([]);
    });

    it('waits until the time of a retry, and counts the tries', async () => {
      const { store } = current;
      await wish(nudge('e', 'ada'));
      await claim(0);
      await store.retryEffect('e', at(30), 'connection refused');
      await store.retryEffect('none', at(30), '');
      expect(await claim(29)).toEqual([]);
      expect(await store.listEffects({ status: 'pending', limit: 10 })).toMatchObject([
        { tries: 1, detail: 'connection refused' },
      ]);
      expect(await claim(30)).toEqual(['e 2']);
      expect(await store.listEffects({ status: 'claimed', limit: 10 })).toHaveLength(1);
    });

    it("does not let a claimer whose lease has ended release another one's claim", async () => {
      const { store } = current;
      await wish(nudge('e', 'ada'));
      expect(await claim(0)).toEqual(['e 1']);
      expect(await claim(100)).toEqual(['e 2']);
      await store.retryEffect('e', at(101), 'late', 1);
      expect(await claim(110)).toEqual([]);
      await store.retryEffect('e', at(111), 'mine', 2);
      expect(await claim(111)).toEqual(['e 3']);
    });

    it('lists by agent and status, newest first, up to the limit', async () => {
      const { store } = current;
      await wish(nudge('e1', 'ada'), nudge('e2', 'ada'), nudge('e3', 'fleet:default'));
      expect((await store.listEffects({ limit: 2 })).map(({ effect }) => effect.id)).toEqual(['e3', 'e2']);
      expect((await store.listEffects({ agentId: 'ada', limit: 9 })).map(({ effect }) => effect.id)).toEqual([
        'e2',
        'e1',
      ]);
      expect(await store.listEffects({ status: 'dead', limit: 9 })).toEqual([]);
    });
  });
}
