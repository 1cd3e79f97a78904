import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../http/kit.ts';
import { Mail, OWN } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

const HALF_HOUR = 30 * 60;
const tasksOf = async (agentId: string) => (await server.operator.tasks({ agentId, status: 'all' })).tasks;
const stateOf = async (agentId: string) => (await server.operator.agent(agentId)).state;
const assign = (agentId: string, taskId: string, expectedInSeconds = 60) =>
  server.operator.task(agentId, { status: 'assigned', taskId, expectedInSeconds });
const about = (taskId: string | undefined, rest: object = {}) => ({
  content: {
    type: 'status-update',
    message: 'the tests are slow',
    ...(taskId && { task_id: taskId }),
    ...rest,
  },
});

it('asks about a stalled task by a letter of seed 001, and takes a reply for the answer', async () => {
  const ada = await Mail.register(server, 'ada');
  for (const id of ['T-1', 'T-2']) await assign('ada', id);
  await server.pass(HALF_HOUR + 5);
  const letters = await ada.list('ada');
  expect(letters).toHaveLength(2);
  const whole = await Promise.all(letters.map(async ({ id }) => (await ada.read('ada', id)).json));
  const inquiry = whole.find(({ content }) => (content as { task_id: string }).task_id === 'T-1');
  const asked = (await tasksOf('ada')).find(({ taskId }) => taskId === 'T-1')?.inquiredAt ?? 0;
  expect(inquiry).toMatchObject({
    from: OWN,
    fromVerified: true,
    subject: '[STATUS CHECK] Task progress inquiry',
    priority: 'high',
    content: {
      type: 'status-inquiry',
      task_id: 'T-1',
      message: 'Holter: your task (T-1) appears stalled. Please give a status update within 5 min.',
      expected_response_by: `${new Date(asked + 5 * 60_000).toISOString().slice(0, 19)}Z`,
    },
  });
  const stalled = async () =>
    (await tasksOf('ada')).filter(({ isStalled }) => isStalled).map(({ taskId }) => taskId);
  expect(await stalled()).toEqual(['T-2', 'T-1']);
  await ada.send('ada', OWN, { ...about(undefined), inReplyTo: inquiry?.id });
  expect(await stalled()).toEqual(['T-2']);
  await ada.send('ada', OWN, about('T-2', { progress_percentage: 60 }));
  expect(await stalled()).toEqual([]);
  expect((await tasksOf('ada')).find(({ taskId }) => taskId === 'T-2')?.percent).toBe(60);
});

it('hears by letter that a task has ended, and that the agent cannot continue', async () => {
  const bob = await Mail.register(server, 'bob');
  for (const id of ['T-1', 'T-2']) await assign('bob', id, 86_400);
  await bob.send('bob', OWN, about('T-1', { status: 'completed' }));
  expect(await tasksOf('bob')).toMatchObject([
    { taskId: 'T-2', status: 'in_progress' },
    { taskId: 'T-1', status: 'done' },
  ]);
  expect(await stateOf('bob')).toBe('HEALTHY');
  expect((await bob.send('bob', OWN, about('T-1'))).json.notes).toEqual(['you have no open task T-1']);
  await bob.send('bob', OWN, about('T-2', { status: 'cannot_continue', message: 'no access' }));
  expect(await stateOf('bob')).toBe('FAILING');
});

it('believes nothing about the tasks of an agent with a token without that token', async () => {
  const cal = await Mail.register(server, 'cal');
  const open = new Mail(server, null, await server.openMaestro());
  await open.call('POST', '/api/agents/dan/heartbeat', { body: {} });
  for (const id of ['cal', 'dan']) await assign(id, 'T-1');
  const before = await tasksOf('cal');
  for (const status of ['cannot_continue', 'completed', 'in_progress'])
    await open.send('cal', OWN, about('T-1', { status, progress_percentage: 99 }));
  expect(await tasksOf('cal')).toEqual(before);
  expect(await stateOf('cal')).toBe('HEALTHY');
  // A forged inquiry about another task does not turn the agent's reply into a word about it.
  const forged = await open.send(OWN, 'cal', {
    content: { type: 'status-inquiry', message: '?', task_id: 'T-1' },
  });
  await cal.send('cal', OWN, { inReplyTo: forged.json.id });
  expect(await tasksOf('cal')).toEqual(before);
  // An agent that never had a token can speak for itself only in this way.
  await open.send('dan', OWN, about('T-1', { status: 'cannot_continue' }));
  expect(await stateOf('dan')).toBe('FAILING');
  // Nor is a letter to somebody else a word to Holter.
  await cal.send('cal', 'dan', about('T-1', { status: 'completed' }));
  expect(await tasksOf('cal')).toEqual(before);
});
