import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttp, type TestServer, until } from './kit.ts';

let server: TestServer;
let isJudging = false;
const JUDGE_FOLDER = '/home/dev/.holter/judge';
beforeAll(async () => {
  server = await startHttp({
    judge: {
      folder: JUDGE_FOLDER,
      get isRunning() {
        return isJudging;
      },
    },
  });
});
afterAll(() => server.stop());

const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
const hook = (event: string, fields: object = {}, token = server.tokens.enroll) =>
  server.call('POST', '/hooks/claude-code', {
    token,
    body: { session_id: SESSION, cwd: '/home/dev/shop', hook_event_name: event, ...fields },
  });

test('a session of whoever may enrol becomes an agent, and unknown events only say that it lives', async () => {
  expect(await hook('UserPromptSubmit', { prompt: 'fix it' })).toMatchObject({ status: 200, text: '{}' });
  expect(await hook('SomethingNew')).toMatchObject({ status: 200, text: '{}' });
  const agent = await until(
    () => server.engine.read('claude.shop.c64a3fea'),
    (found) => found !== null,
  );
  expect(agent?.hard).toMatchObject({ mode: 'nudge', group: 'shop', can: ['nudge', 'deny-call'] });
});

test('an agent token speaks for its agent, and an older start of it hears nothing', async () => {
  const register = async (instanceId: string) => {
    const body = { agentId: 'ada', instanceId, promises: { calls: true, turns: true } };
    return (await server.call('POST', '/v1/agents', { token: server.tokens.operator, body })).json;
  };
  const first = await register('one');
  await hook('UserPromptSubmit', { prompt: 'x' }, String(first.token));
  await until(
    () => server.engine.read('ada'),
    (ada) => ada?.hard.turnSince !== undefined,
  );
  await server.call('POST', '/v1/agents/ada/signals', {
    token: String(first.token),
    body: { kind: 'stopped', reason: 'done' },
  });
  const second = await register('two');
  expect(second.incarnation).toBe(2);
  await server.operator.nudge('ada', { message: 'look up', reason: 'test' });
  const heard = (token: unknown) => hook('PreToolUse', {}, String(token));
  expect((await heard(first.token)).text).toBe('{}');
  const told = await until(
    () => heard(second.token),
    ({ text }) => text !== '{}',
  );
  expect(told.json).toMatchObject({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      additionalContext: expect.stringContaining('look up'),
    },
  });
});

test.each<[what: string, body: unknown]>([
  ['nothing', {}],
  ['no event', { session_id: SESSION }],
  ['a session that is no UUID', { session_id: '../../etc', hook_event_name: 'Stop' }],
  ['a list', []],
])('%s is refused, and makes no agent', async (_what, body) => {
  const before = await server.store.listAgents({ limit: 100 });
  const reply = await server.call('POST', '/hooks/claude-code', { token: server.tokens.enroll, body });
  expect(reply).toMatchObject({ status: 400, json: { error: { code: 'not_a_hook' } } });
  expect((await server.store.listAgents({ limit: 100 })).items).toHaveLength(before.items.length);
});

test('strangers and viewers are refused', async () => {
  const body = { session_id: randomUUID(), hook_event_name: 'Stop' };
  expect((await server.call('POST', '/hooks/claude-code', { body })).status).toBe(401);
  const viewer = { token: server.tokens.viewer, body };
  expect((await server.call('POST', '/hooks/claude-code', viewer)).status).toBe(403);
});

test("a session of Holter's own judge is no agent; one that only goes to its folder is", async () => {
  const { token } = await server.operator.makeToken({ role: 'hook', user: 'dev' });
  const begin = async (cwd: string) => {
    const session_id = randomUUID();
    await hook('UserPromptSubmit', { session_id, cwd, prompt: 'x' }, token);
    return async (event = 'PreToolUse', where = cwd) => {
      await hook(event, { session_id, cwd: where }, token);
      return (await server.operator.agents({ q: session_id.slice(0, 8) })).agents.length;
    };
  };
  isJudging = true;
  const [own, watched] = [await begin(JUDGE_FOLDER), await begin('/home/dev/shop')];
  expect(await own()).toBe(0);
  await until(
    () => watched('PreToolUse', JUDGE_FOLDER),
    (count) => count === 1,
  );
  expect(await own()).toBe(0);
  isJudging = false;
  const other = await begin(JUDGE_FOLDER);
  await until(
    () => other(),
    (count) => count === 1,
  );
});
