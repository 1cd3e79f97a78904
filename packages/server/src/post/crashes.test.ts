import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADA, MINUTE, OWN, postWorld } from '../../test/mail/post-world.ts';

const OPERATOR = { role: 'operator', agentId: null, incarnation: null } as const;
const letter = {
  from: OWN,
  to: 'ada',
  subject: 'task',
  priority: 'urgent',
  content: { type: 'task', message: 'please' },
  inReplyTo: null,
  clientId: 'c-1',
} as const;

describe('letters that are lost, and a server that dies in the middle of a call', () => {
  let world: Awaited<ReturnType<typeof postWorld>>;
  beforeEach(async () => {
    world = await postWorld();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    world.stop();
    await world.engine.stop();
  });

  /** The next signal of this kind is not taken any more. */
  const dieBeforeSignal = (kind: string): void => {
    const { engine } = world;
    const take = engine.signal.bind(engine);
    const spy = vi.spyOn(engine, 'signal').mockImplementation((signal, ...rest) => {
      if (signal.kind !== kind) return take(signal, ...rest);
      spy.mockRestore();
      return Promise.reject(new Error('dead'));
    });
  };
  const awaited = async () => ((await world.agent())?.hard.acks ?? []).length;
  const unread = async () => (await world.store.countUnread(['ada'])).ada ?? 0;

  it('awaits the acknowledgement of a letter that is sent again', async () => {
    dieBeforeSignal('message-delivered');
    await expect(world.office.send(letter, OPERATOR)).rejects.toThrow('dead');
    expect([await unread(), await awaited()]).toEqual([1, 0]);
    await world.office.send(letter, OPERATOR);
    expect([await unread(), await awaited()]).toEqual([1, 1]);
  });

  it.each(['record', 'store'])(
    'leaves no letter read that is still awaited: it dies before the %s',
    async (at) => {
      const { letter: sent } = await world.office.send(letter, OPERATOR);
      const acknowledge = () => world.office.mark('ada', sent.letterId, 'acknowledged', ADA);
      if (at === 'record') dieBeforeSignal('message-acknowledged');
      else vi.spyOn(world.store, 'markLetters').mockRejectedValueOnce(new Error('dead'));
      await expect(acknowledge()).rejects.toThrow('dead');
      // So its reader finds it again.
      expect(await unread()).toBe(1);
      await acknowledge();
      expect([await unread(), await awaited()]).toEqual([0, 0]);
    },
  );

  it('awaits no letter that is acknowledged while it is being sent', async () => {
    const { engine, office } = world;
    const take = engine.signal.bind(engine);
    const spy = vi.spyOn(engine, 'signal').mockImplementation(async (signal, ...rest) => {
      if (signal.kind !== 'message-delivered') return take(signal, ...rest);
      spy.mockRestore();
      await office.mark('ada', signal.messageId, 'acknowledged', ADA);
      return take(signal, ...rest);
    });
    await office.send(letter, OPERATOR);
    expect([await unread(), await awaited()]).toEqual([0, 0]);
  });

  it('awaits no letter any more that is gone from the box', async () => {
    const { clock, store, office } = world;
    const { letter: kept } = await office.send(letter, OPERATOR);
    const { letter: lost } = await office.send({ ...letter, clientId: 'c-2' }, OPERATOR);
    await clock.advance(3 * MINUTE);
    await store.deleteLetter('ada', lost.letterId);
    for (let second = 0; second < 2; second += 1) {
      await clock.advance(1_000);
      await office.open('ada', ADA);
    }
    expect((await world.agent())?.hard.acks).toMatchObject([{ id: kept.letterId }]);
  });

  it('awaits no letter any more that made room in a full box, and says so', async () => {
    const { store, office } = world;
    const { letter: old } = await office.send({ ...letter, priority: 'low' }, OPERATOR);
    await office.mark('ada', old.letterId, 'read', ADA);
    const { deliveredAt: _1, readAt: _2, acknowledgedAt: _3, archivedAt: _4, ...like } = old;
    for (let n = 1; n < 1_000; n += 1) {
      const other = { ...like, letterId: `m-${n}`, from: 'bob', clientId: null };
      await store.putLetter({ letter: other, acknowledges: null, boxMax: 1_000 });
    }
    const { letter: next, notes } = await office.send({ ...letter, clientId: 'c-2' }, OPERATOR);
    expect(notes).toEqual([expect.stringContaining(`${old.letterId} of priority low was read, made room`)]);
    expect((await world.agent())?.hard.acks).toMatchObject([{ id: next.letterId }]);
  });

  it('puts an inquiry into the box when it is decided, and again if the server died before', async () => {
    const { clock, store, engine, office } = world;
    const inquiries = async () =>
      (await store.listLetters({ of: 'ada', box: 'inbox', limit: 25 })).filter(({ subject }) =>
        subject.startsWith('[STATUS'),
      );
    const put = store.putLetter.bind(store);
    const spy = vi.spyOn(store, 'putLetter').mockImplementation((wanted) => {
      if (!wanted.letter.subject.startsWith('[STATUS')) return put(wanted);
      spy.mockRestore();
      return Promise.reject(new Error('dead'));
    });
    await clock.advance(3 * MINUTE + 16_000);
    expect((await engine.read('ada'))?.hard.inquiry).toBeDefined();
    expect(await inquiries()).toEqual([]);
    await clock.advance(6_000);
    const [inquiry] = await inquiries();
    expect(inquiry).toMatchObject({ from: OWN, priority: 'high', deliveredAt: null });
    // It is offered again every minute, and the agent opens its box.
    await clock.advance(2 * MINUTE);
    await office.open('ada', ADA);
    expect(await inquiries()).toMatchObject([{ letterId: inquiry?.letterId }]);
  });

  it('loses no inquiry on its way into the box, and puts it there once', async () => {
    const { clock, store, office } = world;
    await clock.advance(3 * MINUTE + 20_000);
    const look = () =>
      office.list({ of: 'ada', box: 'inbox', limit: 25 }, ADA, { waitMs: 0, isGone: async () => false });
    vi.spyOn(store, 'putLetter').mockRejectedValueOnce(new Error('dead'));
    await expect(look()).rejects.toThrow('dead');
    const events = await store.readEvents({ agentId: 'ada', after: 0, limit: 500 });
    expect(JSON.stringify(events)).not.toContain('in the reply to a request');
    const inquiries = async () => (await look()).filter(({ subject }) => subject.startsWith('[STATUS'));
    expect(await inquiries()).toHaveLength(1);
    expect(await inquiries()).toHaveLength(1);
  });
});
