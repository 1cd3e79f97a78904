import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { lettersOf, Mail, OWN } from './kit.ts';

let server: TestServer;
let operator: Mail;
let bob: Mail;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
  operator = new Mail(server, server.tokens.operator);
  bob = await Mail.register(server, 'bob');
});
afterAll(() => server.stop());

/** As many agents fill it, each with its share. */
async function fill(to: string, places: number): Promise<void> {
  for (let n = 0; n < places; n += 1)
    await server.store.putLetter({
      letter: {
        letterId: `full-${to}-${n}`,
        from: `flooder-${n % 5}`,
        to,
        clientId: null,
        subject: 'x',
        priority: 'low',
        inReplyTo: null,
        passed: [],
        isVerified: true,
        sentAt: server.clock.now(),
        content: '{"type":"x","message":"x"}',
      },
      acknowledges: null,
      boxMax: places,
    });
}

const full = { status: 507, json: { error: 'box_full' } };

it('one agent can fill its share of a box only', async () => {
  const eve = await Mail.register(server, 'eve');
  for (const to of [OWN, 'bob']) {
    for (let n = 0; n < 200; n += 1) {
      server.clock.skip(10);
      expect((await eve.send('eve', to)).status).toBe(201);
    }
    expect(await eve.send('eve', to)).toMatchObject(full);
  }
  expect((await bob.send('bob', OWN)).status).toBe(201);
  expect((await operator.send(OWN, 'bob', { priority: 'urgent' })).status).toBe(201);
  expect((await server.operator.unreadLetters({ agent: OWN })).count).toBe(201);
});

it('what an operator writes has room in a box that agents have filled', async () => {
  const cal = await Mail.register(server, 'cal');
  await fill('cal', 950);
  expect(await bob.send('bob', 'cal')).toMatchObject(full);
  expect((await operator.send(OWN, 'cal', { priority: 'urgent' })).status).toBe(201);
  const [newest] = await cal.list('cal');
  await cal.mark('cal', String(newest?.id), 'read');
  // A letter that was read makes room for agents too, but not the one that is awaited.
  expect(await bob.send('bob', 'cal')).toMatchObject(full);
});

it('hears what agents say about themselves when its own box is full', async () => {
  const dan = await Mail.register(server, 'dan');
  await fill(OWN, 1_000);
  const kept = await lettersOf(server, OWN);
  const about = (content: object, rest: object = {}) => ({
    content: { type: 'status-update', message: 'm', ...content },
    ...rest,
  });
  expect(await dan.send('dan', OWN)).toMatchObject(full);
  const heard = async (rest: object): Promise<void> => {
    const { status, json } = await dan.send('dan', OWN, rest);
    expect(status).toBe(201);
    expect(json.notes).toEqual([
      `the box of ${OWN} is full: what this letter says about you counts, but it is not kept`,
    ]);
  };
  const dansOwn = async () => (await server.engine.read('dan'))?.hard;

  for (const taskId of ['T-1', 'T-2'])
    await server.operator.task('dan', { status: 'assigned', taskId, expectedInSeconds: 86_400 });
  await heard(about({ task_id: 'T-1', status: 'completed' }));
  expect((await dansOwn())?.endedTasks).toMatchObject([{ id: 'T-1', outcome: 'done' }]);

  const asked = String((await operator.send(OWN, 'dan', { priority: 'urgent' })).json.id);
  expect((await dansOwn())?.acks).toHaveLength(1);
  await heard(about({}, { inReplyTo: asked }));
  expect((await dansOwn())?.acks ?? []).toEqual([]);
  expect(await server.store.readLetter(asked)).toMatchObject({ acknowledgedAt: expect.any(Number) });

  const ping = { type: 'heartbeat', message: 'ping', sequence: 7 };
  await operator.send(OWN, 'dan', { priority: 'low', content: ping });
  await heard({ content: { type: 'heartbeat-response', message: 'pong', sequence: 7 } });
  expect((await server.engine.read('dan'))?.soft.pongAt).toBe(server.clock.now());

  await heard(about({ task_id: 'T-2', status: 'cannot_continue' }));
  expect((await server.operator.agent('dan')).state).toBe('FAILING');
  expect(await lettersOf(server, OWN)).toBe(kept);
});

it('hears nothing of those without a token in a full box that it would not hear otherwise', async () => {
  const open = new Mail(server, null, await server.openMaestro());
  await Mail.register(server, 'fay');
  await server.operator.task('fay', { status: 'assigned', taskId: 'T-3' });
  const content = { type: 'status-update', message: 'm', task_id: 'T-3', status: 'completed' };
  expect(await open.send('fay', OWN, { content })).toMatchObject(full);
  expect((await server.engine.read('fay'))?.hard.endedTasks).toBeUndefined();
});
