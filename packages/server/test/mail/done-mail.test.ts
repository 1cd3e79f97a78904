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
