import { TASKS_MAX } from '@holter/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taskPage } from '../../src/http/schema/tasks.ts';
import { startHttp, stillClock, type TestServer } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

const register = async (agentId: string, group = 'default') =>
  server.client(
    (await server.client(server.tokens.enroll).register({ agentId, instanceId: 'i', group })).token,
  );
const get = (path: string, token = server.tokens.viewer) => server.call('GET', path, { token });
const change = (agentId: string, body: object) =>
  server.call('POST', `/v1/agents/${agentId}/task`, { token: server.tokens.operator, body });
const listed = async (query = '', token?: string) => {
  const { tasks } = taskPage.parse((await get(`/v1/tasks${query}`, token)).json);
  return tasks.map(({ agentId, taskId }) => `${agentId} ${taskId}`);
};

it('keeps many tasks per agent, lists them, and shows one', async () => {
  const ada = await register('ada');
  await register('bob', 'crew');
  const expectedAt = '2026-12-24T18:00:00Z';
  await change('ada', { status: 'assigned', taskId: 'T/1 ä', description: 'Draw boxes', expectedAt });
  await change('ada', { status: 'assigned', taskId: 'T-2', expectedInSeconds: 60 });
  await change('bob', { status: 'assigned', taskId: 'T-2' });
  await change('ada', { status: 'updated', taskId: 'T/1 ä', percent: 60 });
  expect(await listed()).toEqual(['ada T/1 ä', 'ada T-2', 'bob T-2']);
  expect(await listed('?group=crew')).toEqual(['bob T-2']);
  expect(await listed('?taskId=T-2')).toEqual(['ada T-2', 'bob T-2']);
  expect(await listed('?status=stalled')).toEqual([]);
  const shown = await server.operator.taskOf('ada', 'T/1 ä');
  expect(shown).toMatchObject({
    description: 'Draw boxes',
    status: 'in_progress',
    isCurrent: true,
    isStalled: false,
    expectedAt: Date.parse(expectedAt),
    percent: 60,
  });
  await change('ada', { status: 'done', taskId: 'T/1 ä' });
  expect(await listed('?agentId=ada')).toEqual(['ada T-2']);
  expect(await listed('?agentId=ada&status=done')).toEqual(['ada T/1 ä']);
  expect(await listed('?agentId=ada&status=all')).toEqual(['ada T-2', 'ada T/1 ä']);
  expect((await server.operator.agent('ada')).task).toMatchObject({ taskId: 'T-2' });
  // An agent sees its own.
  expect((await ada.tasks()).tasks.map(({ agentId }) => agentId)).toEqual(['ada']);
  await expect(ada.tasks({ agentId: 'bob' })).rejects.toMatchObject({ status: 403 });
});

it('goes through all agents page by page', async () => {
  for (let n = 0; n < 7; n += 1) {
    await register(`page-${n}`, 'pages');
    await change(`page-${n}`, { status: 'assigned', taskId: 'T' });
  }
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = taskPage.parse((await get(`/v1/tasks?group=pages&limit=2${more}`)).json);
    found.push(...page.tasks.map(({ agentId }) => agentId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(found).toEqual(Array.from({ length: 7 }, (_, n) => `page-${n}`));
});

it('says what is wrong, and changes nothing', async () => {
  await register('cal');
  await change('cal', { status: 'assigned', taskId: 'T-1', expectedInSeconds: 60 });
  const before = (await server.operator.agent('cal')).task;
  await register('cy');
  const none = await change('cy', { status: 'updated', taskId: 'T-9', percent: 1 });
  expect(none.json).toMatchObject({ error: { message: 'cy has no open task' } });
  const failures = [
    [{ status: 'updated', taskId: 'T-9', percent: 1 }, 404, 'cal has no open task T-9; it has T-1'],
    [{ status: 'done', taskId: 'T-9' }, 404, 'cal has no open task T-9; it has T-1'],
    [{ status: 'updated', taskId: 'T-1', percent: 101 }, 400, 'percent must be at most 100'],
    [{ status: 'assigned', taskId: '' }, 400, 'taskId must have at least 1 character'],
    [{ status: 'assigned', taskId: 'T-2', expectedAt: 'soon' }, 400, 'expectedAt'],
    [{ status: 'assigned', taskId: 'T-2', description: 'x'.repeat(201) }, 400, 'at most 200 characters'],
    [
      { status: 'assigned', taskId: 'T-2', expectedAt: '2026-12-24T18:00:00Z', expectedInSeconds: 5 },
      400,
      'expectedAt or expectedInSeconds, not both',
    ],
  ] as const;
  for (const [body, status, message] of failures) {
    const reply = await change('cal', body);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  }
  expect((await change('nobody', { status: 'done', taskId: 'T' })).status).toBe(404);
  expect((await get('/v1/agents/cal/tasks/T-9')).json).toMatchObject({ error: { code: 'unknown_task' } });
  expect((await get('/v1/tasks?agentId=nobody')).status).toBe(404);
  expect((await get('/v1/tasks?status=odd')).status).toBe(400);
  const after = await server.operator.agent('cal');
  expect([after.task, after.otherTasks]).toEqual([before, []]);
});

it('takes the same end twice, and no other end', async () => {
  await register('dan');
  await change('dan', { status: 'assigned', taskId: 'T-1' });
  expect((await change('dan', { status: 'done', taskId: 'T-1' })).status).toBe(200);
  expect((await change('dan', { status: 'done', taskId: 'T-1' })).status).toBe(200);
  expect((await change('dan', { status: 'failed', taskId: 'T-1' })).json).toMatchObject({
    error: { message: 'task T-1 of dan has ended: done' },
  });
});

it('refuses one task too many', async () => {
  await register('eve');
  for (let n = 0; n < TASKS_MAX; n += 1) await change('eve', { status: 'assigned', taskId: `T-${n}` });
  const reply = await change('eve', { status: 'assigned', taskId: 'one-more' });
  expect([reply.status, reply.json]).toMatchObject([409, { error: { code: 'too_many_tasks' } }]);
  expect(await listed('?agentId=eve')).toHaveLength(TASKS_MAX);
});
