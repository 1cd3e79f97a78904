import { expect, it } from 'vitest';
import { ADA, MINUTE, OWN, pinged, postWorld } from '../../test/mail/post-world.ts';
import { settled } from '../../test/manual-clock.ts';
import type { Sender } from '../intake/index.ts';
import { compile } from '../policy/index.ts';
import { letterOf } from '../store/contract/kit.ts';
import { startPinger } from './pinger.ts';

it('pings an agent that promised pongs once per interval of its role, and hears its pongs', async () => {
  const { clock, engine, stop, pings, answer, agent } = await postWorld();
  for (let minute = 0; minute < 20; minute += 1) {
    await clock.advance(MINUTE);
    const [newest] = await pings();
    const { notes } = await answer(newest);
    expect(notes).toEqual([]);
    expect((await agent())?.soft.pongAt).toBe(clock.now());
  }
  const sequences = await pings();
  expect(sequences).toHaveLength(5);
  // The number of a quarter of an interval.
  expect(new Set(sequences.map((sequence, index) => sequence + 4 * index)).size).toBe(1);
  expect((await agent())?.hard).toMatchObject({ health: 'HEALTHY', points: [] });
  expect((await agent())?.hard.acks).toBeUndefined();
  stop();
  await engine.stop();
});

it('pings an agent that calls itself degraded four times as often, until it is healthy', async () => {
  const { clock, engine, stop, pings, answer, agent } = await postWorld();
  await clock.advance(MINUTE);
  await answer((await pings())[0], 'degraded');
  expect((await agent())?.hard.health).toBe('DEGRADED');
  const sequences = new Set<number>();
  for (let quarter = 0; quarter < 8; quarter += 1) {
    await clock.advance(15_000);
    for (const sequence of await pings()) sequences.add(sequence);
  }
  expect(sequences.size).toBeGreaterThanOrEqual(8);
  await answer((await pings())[0], 'healthy');
  const [last = 0] = await pings();
  await clock.advance(2 * MINUTE);
  const [newest = 0] = await pings();
  expect(newest - last).toBeGreaterThan(0);
  expect((await pings()).filter((sequence) => sequence > last)).toHaveLength(2);
  stop();
  await engine.stop();
});

it('shows what an agent says that it works on', async () => {
  const { clock, engine, office, stop, pings, agent } = await postWorld();
  await clock.advance(MINUTE);
  const [sequence] = await pings();
  const content = { type: 'heartbeat-response', message: 'pong', sequence, current_task: 'Feature X' };
  const pong = { from: 'ada', to: OWN, subject: 'Re', priority: 'low', content } as const;
  await office.send({ ...pong, inReplyTo: null, clientId: null }, ADA);
  expect((await agent())?.hard.phase).toBe('Feature X');
  stop();
  await engine.stop();
});

it('takes no ping that was sent for an answer: an agent that answers none is found', async () => {
  const { clock, engine, stop, pings, answer, agent } = await postWorld();
  await clock.advance(2 * MINUTE);
  const [early] = await pings();
  await clock.advance(10 * MINUTE);
  expect((await pings()).length).toBe(5);
  const silent = await agent();
  expect(silent?.soft.pongAt).toBe(0);
  expect(silent?.hard.derived.map(({ kind }) => kind)).toContain('no-pong');
  expect((await answer(early)).notes).toEqual(['no ping of Holter has this sequence']);
  const [newest] = await pings();
  expect((await answer(newest)).notes).toEqual([]);
  expect((await answer(newest)).notes).toEqual(['this ping was answered before']);
  await clock.advance(5_000);
  expect((await agent())?.hard.derived.map(({ kind }) => kind)).not.toContain('no-pong');
  stop();
  await engine.stop();
});

it('finds an agent that fetches its pings and answers none, and is not answered by fetching the inquiry', async () => {
  const { clock, engine, office, stop, agent, answer, pings } = await postWorld();
  const fetch = () =>
    office.list({ of: 'ada', box: 'inbox', limit: 25 }, ADA, { waitMs: 0, isGone: async () => false });
  const healths: unknown[] = [];
  for (let minute = 0; minute < 12; minute += 1) {
    await clock.advance(MINUTE);
    await fetch();
    healths.push((await agent())?.hard.health);
  }
  expect(healths.slice(0, 3)).not.toContain('FAILING');
  expect(healths.at(-1)).toBe('FAILING');
  expect((await fetch()).map(({ subject }) => subject)).toContain('[STATUS CHECK] How are you?');
  const [newest] = await pings();
  await answer(newest);
  expect((await agent())?.hard.unknownSince).toBeUndefined();
  const stale: Sender = { ...ADA, incarnation: 7 };
  await expect(
    office.list({ of: 'ada', box: 'inbox', limit: 25 }, stale, { waitMs: 0, isGone: async () => false }),
  ).rejects.toThrow('started again');
  stop();
  await engine.stop();
});

it('sends no more pings once the agent has ended', async () => {
  const { clock, engine, store, stop, pings } = await postWorld();
  await clock.advance(2 * MINUTE);
  const before = await pings();
  await engine.signal({ kind: 'stopped', reason: 'done', agentId: 'ada', incarnation: 1 }, 'agent');
  await clock.advance(10 * MINUTE);
  expect(await pings()).toEqual(before);
  expect((await store.countLetters({ of: OWN, box: 'sent' })).total).toBe(before.length);
  stop();
  await engine.stop();
});

it('goes on with the agents of an earlier start, also when a page of them could not be read at first', async () => {
  const { clock, engine, store, office, stop } = await postWorld();
  stop();
  for (let index = 0; index < 250; index += 1) await engine.register(pinged(`agent-${index}`));
  const failures: unknown[] = [];
  let isAnswering = false;
  const listAgents: typeof store.listAgents = (query) =>
    isAnswering || query.cursor === '' ? store.listAgents(query) : Promise.reject(new Error('busy'));
  const restarted = { engine, store: { listAgents }, office, clock };
  const stopAgain = startPinger({ ...restarted, failed: (error) => failures.push(error) });
  await clock.advance(1_000);
  isAnswering = true;
  await clock.advance(2_000);
  expect(failures.length).toBeGreaterThan(0);
  const sent = await store.listLetters({ of: OWN, box: 'sent', limit: 1_000 });
  expect(new Set(sent.map(({ to }) => to)).size).toBe(251);
  stopAgain();
  await engine.stop();
});

it('does not ping an agent that is judged by its tasks alone', async () => {
  const compiled = compile({ agents: { ada: { watch: 'tasks' } } });
  if (compiled.kind !== 'compiled') throw new Error('the configuration is wrong');
  const { clock, engine, stop, pings, agent } = await postWorld(compiled.policies);
  for (let minute = 0; minute < 10; minute += 1) {
    await clock.advance(MINUTE);
    await settled();
  }
  expect(await pings()).toEqual([]);
  expect((await agent())?.hard).toMatchObject({ health: 'HEALTHY', derived: [] });
  stop();
  await engine.stop();
});

/** Letters that claim to be from Holter, of a caller without a token. */
async function claimed({ store }: Awaited<ReturnType<typeof postWorld>>, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const letter = letterOf(`claimed-${n}`, { from: OWN, to: 'ada', isVerified: false });
    await store.putLetter({ letter, acknowledges: null, boxMax: 1_000 });
  }
}

it('finds the ping of a pong behind any number of letters that claim to be from Holter', async () => {
  const world = await postWorld();
  await world.clock.advance(MINUTE);
  await claimed(world, 60);
  const { notes } = await world.answer((await world.pings())[0], 'busy');
  expect([notes, (await world.agent())?.hard.isBusy]).toEqual([[], true]);
  world.stop();
  await world.engine.stop();
});

it.each(['a mark', 'the next hook', 'a reply'])(
  'takes the pong to a ping that %s acknowledges',
  async (how) => {
    const world = await postWorld();
    const { clock, store, office } = world;
    await clock.advance(MINUTE);
    const [sequence] = await world.pings();
    const [ping] = await store.listLetters({ of: 'ada', box: 'inbox', limit: 1 });
    if (!ping) throw new Error('there is no ping');
    const { letterId } = ping;
    if (how === 'a mark') await office.mark('ada', letterId, 'acknowledged', ADA);
    else if (how === 'the next hook') {
      await office.noteShown('ada', [ping]);
      await office.noteSeen('ada', [ping]);
    } else {
      const content = { type: 'response', message: 'I am here' };
      const reply = {
        from: 'ada',
        to: OWN,
        subject: 'Re',
        priority: 'low',
        content,
        clientId: null,
      } as const;
      await office.send({ ...reply, inReplyTo: letterId }, ADA);
    }
    expect(await store.readLetter(letterId)).toMatchObject({ acknowledgedAt: null });
    if (how === 'a mark') expect((await store.readLetter(letterId))?.readAt).not.toBeNull();
    const { notes } = await world.answer(sequence, 'busy');
    expect([notes, (await world.agent())?.hard.isBusy]).toEqual([[], true]);
    expect((await store.readLetter(letterId))?.acknowledgedAt).not.toBeNull();
    world.stop();
    await world.engine.stop();
  },
);

it('leaves the newest pong unread that Holter has not asked for, and reads its own', async () => {
  const world = await postWorld();
  await world.clock.advance(MINUTE);
  const unread = async () => {
    const query = { of: OWN, box: 'inbox', status: 'unread', limit: 9 } as const;
    const letters = await world.store.listLetters(query);
    return letters.map(({ content }) => (JSON.parse(content) as { sequence: number }).sequence);
  };
  await world.answer((await world.pings())[0]);
  expect(await unread()).toEqual([]);
  expect((await world.answer(42)).notes).toEqual(['no ping of Holter has this sequence']);
  expect(await unread()).toEqual([42]);
  await world.answer(43);
  await world.answer((await world.pings())[0]);
  expect(await unread()).toEqual([43]);
  world.stop();
  await world.engine.stop();
});
