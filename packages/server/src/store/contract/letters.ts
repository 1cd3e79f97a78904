import { describe, expect, it } from 'vitest';
import { unmarked } from '../letters.ts';
import type { Store } from '../store.ts';
import type { OpenStore } from './kit.ts';
import { agentOf, at, before, commitOf, committed, incidentOf, letterOf, putLetter } from './kit.ts';
import { withStore } from './with-store.ts';

const idsOf = async (store: Store, query: Partial<Parameters<Store['listLetters']>[0]> = {}) =>
  (await store.listLetters({ of: 'bob', box: 'inbox', limit: 100, ...query })).map(
    ({ letterId }) => letterId,
  );

export function lettersContract(open: OpenStore): void {
  describe('letters', () => {
    const current = withStore(open);

    it('keeps every field, over a restart', async () => {
      const awkward = letterOf('m1', {
        clientId: 'c1',
        subject: "'; drop table letters; -- 🫀",
        priority: 'urgent',
        inReplyTo: 'm0',
        passed: ['ada', 'cyd'],
        isVerified: false,
        content: JSON.stringify({ type: 'x', message: 'a\u0000b', sequence: 42, deep: { list: [1, null] } }),
      });
      expect(await current.store.putLetter({ letter: awkward, acknowledges: null, boxMax: 1 })).toEqual({
        kind: 'stored',
        letter: unmarked(awkward),
      });
      await current.reopen();
      expect(await current.store.readLetter('m1')).toEqual(unmarked(awkward));
      expect(await current.store.readLetter('m2')).toBeNull();
    });

    it('lists a box newest first, by the order of sending and not by time', async () => {
      const { store } = current;
      await putLetter(store, 'm1', { sentAt: at(9) });
      await putLetter(store, 'm2', { sentAt: at(5), priority: 'high', from: 'cyd' });
      await putLetter(store, 'm3', { to: 'ada', from: 'bob' });
      await putLetter(store, 'm4', { sentAt: at(5) });
      expect(await idsOf(store)).toEqual(['m4', 'm2', 'm1']);
      expect(await idsOf(store, { limit: 2 })).toEqual(['m4', 'm2']);
      expect(await idsOf(store, { priority: 'high' })).toEqual(['m2']);
      expect(await idsOf(store, { other: 'ada' })).toEqual(['m4', 'm1']);
      expect(await idsOf(store, { of: 'ada', box: 'sent' })).toEqual(['m4', 'm1']);
      expect(await idsOf(store, { of: 'ada', box: 'sent', other: 'cyd' })).toEqual([]);
    });

    it('lists a box oldest first, after a letter or from the beginning', async () => {
      const { store } = current;
      for (const id of ['m1', 'm2', 'm3', 'm4']) await putLetter(store, id);
      await putLetter(store, 'm5', { to: 'cyd' });
      expect(await idsOf(store, { after: null, limit: 3 })).toEqual(['m1', 'm2', 'm3']);
      expect(await idsOf(store, { after: 'm2' })).toEqual(['m3', 'm4']);
      expect(await idsOf(store, { after: 'm4' })).toEqual([]);
      await store.markLetters({ to: 'bob', letterIds: ['m1', 'm3'], as: 'read', at: at(2) });
      expect(await idsOf(store, { after: 'm1', status: 'unread' })).toEqual(['m2', 'm4']);
      await store.deleteLetter('bob', 'm3');
      expect(await idsOf(store, { after: 'm3' })).toEqual(['m1', 'm2', 'm4']);
    });

    it('lists a box newest first, before a letter', async () => {
      const { store } = current;
      for (const id of ['m1', 'm2', 'm3', 'm4']) await putLetter(store, id);
      expect(await idsOf(store, { before: 'm4', limit: 2 })).toEqual(['m3', 'm2']);
      expect(await idsOf(store, { before: 'm1' })).toEqual([]);
      await store.deleteLetter('bob', 'm3');
      expect(await idsOf(store, { before: 'm3' })).toEqual([]);
    });

    it('lists and counts letters of verified senders, or of the others, before it cuts the list', async () => {
      const { store } = current;
      await putLetter(store, 'm1');
      for (const id of ['f1', 'f2', 'f3']) await putLetter(store, id, { isVerified: false });
      await putLetter(store, 'm2');
      await store.markLetters({ to: 'bob', letterIds: ['f1'], as: 'read', at: at(2) });
      expect(await idsOf(store, { isVerified: true, limit: 2 })).toEqual(['m2', 'm1']);
      expect(await idsOf(store, { isVerified: false, status: 'unread', limit: 2 })).toEqual(['f3', 'f2']);
      expect(await idsOf(store, { of: 'ada', box: 'sent', isVerified: false, limit: 9 })).toHaveLength(3);
      const inbox = { of: 'bob', box: 'inbox' } as const;
      expect(await store.countLetters({ ...inbox, isVerified: false })).toMatchObject({
        total: 3,
        unread: 2,
      });
      expect(await store.countLetters({ ...inbox, isVerified: true })).toMatchObject({ total: 2, unread: 2 });
      expect(await store.countLetters({ of: 'ada', box: 'sent', isVerified: false })).toMatchObject({
        total: 3,
      });
    });

    it('does not list pings as unacknowledged', async () => {
      const { store } = current;
      await putLetter(store, 'm1');
      await putLetter(store, 'ping-7-1-bob');
      const sent = { of: 'ada', box: 'sent', limit: 1 } as const;
      expect(await idsOf(store, { ...sent, status: 'unacknowledged' })).toEqual(['m1']);
      expect(await idsOf(store, sent)).toEqual(['ping-7-1-bob']);
    });

    it('marks letters of the recipient only, each state with the time of its first mark', async () => {
      const { store } = current;
      await putLetter(store, 'm1');
      await putLetter(store, 'm2');
      const mark = (as: 'delivered' | 'read' | 'acknowledged' | 'archived', ms: number, to = 'bob') =>
        store.markLetters({ to, letterIds: ['m1', 'unknown'], as, at: at(ms) });
      expect(await mark('read', 2, 'ada')).toEqual([]);
      expect(await mark('delivered', 3)).toEqual(['m1']);
      expect(await mark('delivered', 4)).toEqual([]);
      expect(await mark('acknowledged', 5)).toEqual(['m1']);
      expect(await mark('read', 6)).toEqual([]);
      expect(await store.readLetter('m1')).toMatchObject({
        deliveredAt: at(3),
        readAt: at(5),
        acknowledgedAt: at(5),
        archivedAt: null,
      });
      expect(await idsOf(store, { status: 'unread' })).toEqual(['m2']);
      expect(await idsOf(store, { status: 'read' })).toEqual(['m1']);
      expect(await idsOf(store, { of: 'ada', box: 'sent', status: 'unacknowledged' })).toEqual(['m2']);
      await mark('archived', 7);
      expect(await idsOf(store, { status: 'read' })).toEqual([]);
      expect(await idsOf(store, { status: 'archived' })).toEqual(['m1']);
      expect(await store.markLetters({ to: 'bob', letterIds: [], as: 'read', at: at(8) })).toEqual([]);
      await putLetter(store, 'm3', { to: 'cyd' });
      const all = { to: null, letterIds: ['m1', 'm2', 'm3'], as: 'delivered', at: at(9) } as const;
      expect(await store.markLetters(all)).toEqual(['m2', 'm3']);
    });

    it('counts both boxes', async () => {
      const { store } = current;
      await putLetter(store, 'm1', { priority: 'urgent' });
      await putLetter(store, 'm2');
      await putLetter(store, 'm3', { to: 'cyd' });
      await store.markLetters({ to: 'bob', letterIds: ['m1'], as: 'read', at: at(2) });
      const none = { urgent: 0, high: 0, normal: 0, low: 0 };
      expect(await store.countLetters({ of: 'bob', box: 'inbox' })).toEqual({
        total: 2,
        unread: 1,
        byPriority: { ...none, urgent: 1, normal: 1 },
      });
      expect(await store.countLetters({ of: 'ada', box: 'sent' })).toMatchObject({ total: 3, unread: 2 });
      expect(await store.countLetters({ of: 'dan', box: 'inbox' })).toEqual({
        total: 0,
        unread: 0,
        byPriority: none,
      });
      expect(await store.countUnread(['bob', 'cyd', 'dan'])).toEqual({ bob: 1, cyd: 1 });
      expect(await store.countUnread(['bob'])).toEqual({ bob: 1 });
      expect(await store.countUnread([])).toEqual({});
    });

    it('acknowledges the letter that a reply answers, if its sender had received it', async () => {
      const { store } = current;
      await putLetter(store, 'm1');
      await putLetter(store, 'm2', { from: 'cyd', to: 'ada', sentAt: at(2) }, { acknowledges: 'm1' });
      expect(await store.readLetter('m1')).toMatchObject({ acknowledgedAt: null });
      await putLetter(store, 'm3', { from: 'bob', to: 'ada', sentAt: at(3) }, { acknowledges: 'm1' });
      expect(await store.readLetter('m1')).toMatchObject({ readAt: at(3), acknowledgedAt: at(3) });
    });

    it('stores a letter once for each client id of a sender, also with two writers', async () => {
      const { store } = current;
      const other = await current.second();
      const verdicts = await Promise.all(
        [store, other, store, other].map((writer, index) =>
          putLetter(writer, `m${index}`, { clientId: 'c1' }),
        ),
      );
      expect(verdicts.map(({ kind }) => kind).sort()).toEqual(['exists', 'exists', 'exists', 'stored']);
      expect(await idsOf(store)).toHaveLength(1);
      expect((await putLetter(store, 'm9', { clientId: 'c1', from: 'cyd' })).kind).toBe('stored');
      expect((await putLetter(store, 'm10', { clientId: 'c2' })).kind).toBe('stored');
      await store.markLetters({ to: 'bob', letterIds: ['m10'], as: 'read', at: at(3) });
      expect(await putLetter(store, 'm11', { clientId: 'c2' })).toMatchObject({
        kind: 'exists',
        letter: { letterId: 'm10', readAt: at(3) },
      });
    });

    it('makes room in a full box by its oldest letter that was read, and refuses when there is none', async () => {
      const { store } = current;
      for (const id of ['m1', 'm2', 'm3']) await putLetter(store, id, {}, { boxMax: 3 });
      expect(await putLetter(store, 'm4', {}, { boxMax: 3 })).toEqual({ kind: 'full' });
      expect((await putLetter(store, 'm5', { to: 'cyd' }, { boxMax: 3 })).kind).toBe('stored');
      await store.markLetters({ to: 'bob', letterIds: ['m2', 'm3'], as: 'read', at: at(2) });
      expect(await putLetter(store, 'm6', {}, { boxMax: 3 })).toMatchObject({ removed: { letterId: 'm2' } });
      expect(await idsOf(store)).toEqual(['m6', 'm3', 'm1']);
      expect(await store.readLetter('m4')).toBeNull();
    });

    it('makes room by awaited letters last, the least urgent first, and never by an urgent one', async () => {
      const { store } = current;
      const awaited = { high: 'm1', low: 'm2', urgent: 'm3', normal: 'm4' } as const;
      for (const priority of ['high', 'low', 'urgent', 'normal'] as const)
        await putLetter(store, awaited[priority], { priority });
      await putLetter(store, 'm5', { from: 'cyd', priority: 'urgent' });
      await putLetter(store, 'm6');
      const letterIds = [...Object.values(awaited), 'm5', 'm6'];
      await store.markLetters({ to: 'bob', letterIds, as: 'read', at: at(2) });
      await store.markLetters({ to: 'bob', letterIds: ['m6'], as: 'acknowledged', at: at(2) });
      const gone: unknown[] = [];
      for (let n = 0; n < 6; n += 1) {
        const put = await putLetter(store, `n${n}`, {}, { boxMax: 6, awaitedFrom: 'ada' });
        gone.push(put.kind === 'stored' ? put.removed?.letterId : put.kind);
      }
      expect(gone).toEqual(['m5', 'm6', 'm2', 'm4', 'm1', 'full']);
    });

    it('takes no place from a letter whose sender has proven its name, for one whose sender has not', async () => {
      const { store } = current;
      const forged = (id: string) => putLetter(store, id, { isVerified: false }, { boxMax: 4, shareMax: 2 });
      for (const id of ['m1', 'm2']) await putLetter(store, id);
      await store.markLetters({ to: 'bob', letterIds: ['m1', 'm2'], as: 'read', at: at(2) });
      const kinds = [await forged('f1'), await forged('f2'), await forged('f3')].map(({ kind }) => kind);
      expect(kinds).toEqual(['stored', 'stored', 'full']);
      await store.markLetters({ to: 'bob', letterIds: ['f1'], as: 'read', at: at(3) });
      expect(await forged('f4')).toMatchObject({ removed: { letterId: 'f1' } });
      expect(await idsOf(store)).toEqual(['f4', 'f2', 'm2', 'm1']);
    });

    it('gives a sender a share of a box: beyond it, only its own letters make room', async () => {
      const { store } = current;
      const limits = { boxMax: 6, shareMax: 2 };
      const flood = (id: string) => putLetter(store, id, { from: 'cyd' }, limits);
      await putLetter(store, 'm1', {}, limits);
      await store.markLetters({ to: 'bob', letterIds: ['m1'], as: 'read', at: at(2) });
      // A letter that only claims to be from cyd takes nothing from its share.
      await putLetter(store, 'f1', { from: 'cyd', isVerified: false }, limits);
      const kinds = [await flood('c1'), await flood('c2'), await flood('c3')].map(({ kind }) => kind);
      expect(kinds).toEqual(['stored', 'stored', 'full']);
      expect((await putLetter(store, 'm2', {}, limits)).kind).toBe('stored');
      await store.markLetters({ to: 'bob', letterIds: ['c1'], as: 'read', at: at(3) });
      expect(await flood('c4')).toMatchObject({ removed: { letterId: 'c1' } });
      expect(await idsOf(store)).toEqual(['c4', 'm2', 'c2', 'f1', 'm1']);
      // In a full box others make room as always; whoever has used up its share still makes its own.
      await putLetter(store, 'd1', { from: 'dan' }, limits);
      expect(await flood('c5')).toEqual({ kind: 'full' });
      expect(await putLetter(store, 'd2', { from: 'dan' }, limits)).toMatchObject({
        removed: { letterId: 'm1' },
      });
      expect((await putLetter(store, 'o1', { from: 'cyd' }, { boxMax: 7 })).kind).toBe('stored');
    });

    it('deletes a letter for its recipient only', async () => {
      const { store } = current;
      await putLetter(store, 'm1');
      expect(await store.deleteLetter('ada', 'm1')).toBe(false);
      expect(await store.deleteLetter('bob', 'm1')).toBe(true);
      expect(await store.deleteLetter('bob', 'm1')).toBe(false);
      expect(await idsOf(store)).toEqual([]);
    });

    it('prunes old letters, oldest first, but none to an agent with an open incident', async () => {
      const { store } = current;
      await committed(store, commitOf(agentOf('cyd', { incident: incidentOf('cyd/1') }), 0));
      await putLetter(store, 'm1', { sentAt: at(3) });
      await putLetter(store, 'm2', { sentAt: at(2) });
      await putLetter(store, 'm3', { sentAt: at(2), to: 'cyd' });
      await putLetter(store, 'm4', { sentAt: at(10) });
      expect(await store.prune(before(10), 1)).toEqual({ pruned: 1, hasMore: true });
      expect(await idsOf(store)).toEqual(['m4', 'm1']);
      expect(await store.prune(before(10), 10)).toEqual({ pruned: 1, hasMore: false });
      expect(await idsOf(store)).toEqual(['m4']);
      expect(await idsOf(store, { of: 'cyd' })).toEqual(['m3']);
    });
  });
}
