import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { Mail } from './kit.ts';

let server: TestServer;
let operator: Mail;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
  operator = new Mail(server, server.tokens.operator);
  await Mail.register(server, 'witness');
});
afterAll(() => server.stop());

const DONE = { subject: 'POLECAT_DONE ada', content: { type: 'notification', message: 'All tests pass.' } };
const assign = (agentId: string, taskId: string) =>
  server.operator.task(agentId, { status: 'assigned', taskId });
const taskOf = async (agentId: string) => (await server.operator.agent(agentId)).task?.taskId ?? null;

describe('a letter that a worker is done', () => {
  it('ends its current task, or the one that it names, whoever it is written to', async () => {
    const ada = await Mail.register(server, 'ada');
    await assign('ada', 'T-1');
    await assign('ada', 'T-2');
    expect((await ada.send('ada', 'witness', DONE)).status).toBe(201);
    expect(await taskOf('ada')).toBe('T-1');
    await assign('ada', 'T-3');
    const content = { ...DONE.content, task_id: 'T-1' };
    expect((await ada.send('ada', 'witness', { ...DONE, content })).status).toBe(201);
    expect(await taskOf('ada')).toBe('T-3');
    const none = await ada.send('ada', 'witness', { ...DONE, content: { ...content, task_id: 'T-9' } });
    expect(none.json).toMatchObject({ notes: ['you have no such open task'] });
  });

  it('counts neither from another one, nor without a token, nor when it is passed on', async () => {
    const bob = await Mail.register(server, 'bob');
    await assign('bob', 'T-1');
    const open = new Mail(server, null, await server.openMaestro());
    await open.send('bob', 'witness', DONE);
    await operator.send('bob', 'witness', DONE);
    await (await Mail.register(server, 'carl')).send('carl', 'bob', DONE);
    const [letter] = await bob.list('bob');
    const body = { messageId: letter?.id, from: 'bob', to: 'witness', note: '' };
    await bob.call('POST', '/api/messages/forward', { body });
    expect(await taskOf('bob')).toBe('T-1');
  });

  it('counts only from the current start of the worker', async () => {
    const before = await Mail.register(server, 'dora');
    await assign('dora', 'T-1');
    await server.operator.signal('dora', { kind: 'stopped', reason: 'replaced', incarnation: 1 });
    await Mail.register(server, 'dora', 'second');
    await assign('dora', 'T-2');
    expect((await before.send('dora', 'witness', DONE)).status).toBeGreaterThanOrEqual(400);
    expect(await taskOf('dora')).toBe('T-2');
  });
});

describe('a letter that asks the daemon to restart an agent', () => {
  const asking = (agent: string, more: object = {}) => ({
    subject: 'LIFECYCLE',
    content: {
      type: 'lifecycle',
      message: 'new settings',
      action: 'restart',
      agent,
      incarnation: 1,
      ...more,
    },
  });
  const orchestrator = () => new Mail(server, server.tokens.orchestrator);
  beforeAll(async () => {
    await Mail.register(server, 'daemon');
    const enroll = server.client(server.tokens.enroll);
    await enroll.register({ agentId: 'crew-1', instanceId: 'i', group: 'crew' });
    await enroll.register({ agentId: 'other-1', instanceId: 'i', group: 'other' });
  });

  it('is taken from an operator, and from the orchestrator of its group under the name of that', async () => {
    expect((await operator.send('boss', 'daemon', asking('other-1'))).status).toBe(201);
    // It has one name, whatever it says.
    expect((await orchestrator().send('boss', 'daemon', asking('crew-1'))).status).toBe(201);
    expect(await operator.list('daemon')).toMatchObject([
      { from: 'orchestrator:crew', fromVerified: true, type: 'lifecycle' },
      { from: 'boss', fromVerified: true, type: 'lifecycle' },
    ]);
  });

  it.each<[string, () => Promise<Mail>, object, string]>([
    ['another group', async () => orchestrator(), asking('other-1'), 'forbidden'],
    ['the agent itself', () => Mail.register(server, 'boss'), asking('crew-1'), 'forbidden'],
    [
      'nobody',
      async () => new Mail(server, null, await server.openMaestro()),
      asking('crew-1'),
      'token_required',
    ],
    ['a late one', async () => operator, asking('crew-1', { incarnation: 2 }), 'stale_incarnation'],
    [
      'one without a start',
      async () => operator,
      asking('crew-1', { incarnation: null }),
      'invalid_lifecycle',
    ],
    ['one without an act', async () => operator, asking('crew-1', { action: 'kill' }), 'invalid_lifecycle'],
    ['one about nobody', async () => operator, asking('nobody'), 'agent_not_found'],
    ['other letters of an orchestrator', async () => orchestrator(), {}, 'forbidden'],
  ])('is refused: %s', async (_, sender, letter, error) => {
    const { length } = await operator.list('daemon');
    const mail = await sender();
    expect(await mail.send('boss', 'daemon', letter)).toMatchObject({ json: { error } });
    expect(await operator.list('daemon')).toHaveLength(length);
  });

  it('names the Deacon also by its session', async () => {
    await server.client(server.tokens.enroll).register({ agentId: 'deacon', instanceId: 'i' });
    expect((await operator.send('boss', 'daemon', asking('hq-deacon'))).status).toBe(201);
  });

  it('can not be passed on by an agent', async () => {
    const carol = await Mail.register(server, 'carol');
    const { json } = await operator.send('boss', 'carol', asking('crew-1'));
    const body = { messageId: json.id, from: 'carol', to: 'daemon', note: '' };
    expect(await carol.call('POST', '/api/messages/forward', { body })).toMatchObject({ status: 403 });
  });
});
