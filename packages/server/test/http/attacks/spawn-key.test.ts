import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Reply, startHttp, type TestServer } from '../kit.ts';

const RUN = '/v1/executors/run:1';

let server: TestServer;
beforeEach(async () => {
  server = await startHttp();
});
afterEach(() => server.stop());

const register = (token: string, fields: object): Promise<Reply> =>
  server.call('POST', '/v1/agents', { token, body: { agentId: 'ada', group: 'crew', ...fields } });

/** An agent of a `holter run` crashes, and the run takes the order to start it again; returns the order. */
async function orderedStart(): Promise<{ readonly key: string; readonly own: string }> {
  const { operator } = server.tokens;
  const can = ['nudge', 'terminate', 'spawn'];
  const acts = { mode: 'act', can, executor: 'run:1', promises: { process: true } };
  const registered = await register(operator, { instanceId: 'one', ...acts });
  const here = { bootId: 'b', pid: process.pid, startedAt: '0' };
  await server.call('POST', RUN, {
    token: operator,
    body: {
      agentId: 'ada',
      incarnation: 1,
      runId: 'r',
      hostId: 'elsewhere',
      run: here,
      child: null,
      nudgeFile: null,
      onLost: 'adopt',
    },
  });
  const exited = { kind: 'exited', incarnation: 1, code: 1 };
  await server.call('POST', '/v1/agents/ada/signals', { token: operator, body: exited });
  for (let tries = 0; tries < 80; tries++) {
    await server.pass(1);
    const polled = await server.call('POST', `${RUN}/poll`, {
      token: operator,
      body: { have: [], waitSeconds: 0 },
    });
    const [order] = polled.json.effects as { kind: string; key: string }[];
    if (order?.kind === 'spawn') return { key: order.key, own: String(registered.json.token) };
  }
  throw new Error('no start was ordered');
}

test('a spawn key can not be guessed, and a wrong one leaves the recovery alone', async () => {
  const { key } = await orderedStart();
  for (const guess of ['ada/1/recover/1', 'ada/1/recover/2', '', 'k', key.slice(0, -1), `${key}x`]) {
    const stolen = await register(server.tokens.enroll, { instanceId: 'thief', spawnKey: guess });
    expect(stolen.status, guess).toBe(guess === '' ? 400 : 409);
    if (guess !== '') expect(stolen.json.error).toMatchObject({ code: 'unknown_spawn_key' });
  }
  const view = await server.operator.agent('ada');
  expect(view).toMatchObject({ incarnation: 1, incident: { step: 'recover' } });

  const successor = await register(server.tokens.enroll, { instanceId: 'two', spawnKey: key });
  expect(successor.status).toBe(201);
  expect(await server.operator.agent('ada')).toMatchObject({
    incarnation: 2,
    mode: 'act',
    executor: 'run:1',
    probation: { incidentId: 'ada/1' },
  });
});

test('without a key, an agent whose start is ordered is taken over by nobody but an operator', async () => {
  const { key, own } = await orderedStart();
  for (const token of [server.tokens.enroll, own]) {
    const taken = await register(token, { instanceId: 'thief' });
    expect([taken.status, taken.json.error]).toMatchObject([409, { code: 'agent_owned' }]);
  }
  expect(await server.operator.agent('ada')).toMatchObject({ incarnation: 1, incident: { step: 'recover' } });
  expect((await register(server.tokens.enroll, { instanceId: 'two', spawnKey: key })).status).toBe(201);
});

test('a spawn key opens one start of one agent', async () => {
  const { key } = await orderedStart();
  const other = await register(server.tokens.enroll, { agentId: 'bob', instanceId: 'b', spawnKey: key });
  expect(other.json.error).toMatchObject({ code: 'unknown_spawn_key' });
  expect((await register(server.tokens.enroll, { instanceId: 'two', spawnKey: key })).status).toBe(201);
  // The same instance asks again because the answer was lost.
  expect((await register(server.tokens.enroll, { instanceId: 'two', spawnKey: key })).status).toBe(200);
  await server.call('POST', '/v1/agents/ada/signals', {
    token: server.tokens.operator,
    body: { kind: 'exited', incarnation: 2, code: 0 },
  });
  const again = await register(server.tokens.enroll, { instanceId: 'three', spawnKey: key });
  expect(again.json.error).toMatchObject({ code: 'unknown_spawn_key' });
});

test('no view, event or effect shows a spawn key', async () => {
  const { key, own } = await orderedStart();
  const shown = async (path: string, token = server.tokens.operator): Promise<string> =>
    (await server.call('GET', path, { token })).text;
  expect(await shown('/v1/agents/ada', own)).toContain('"agentId":"ada"');
  const texts = [
    await shown('/v1/agents/ada', own),
    await shown('/v1/agents/ada'),
    await shown('/v1/agents/ada/effects'),
    await shown('/v1/incidents'),
  ];
  await register(server.tokens.enroll, { instanceId: 'two', spawnKey: key });
  texts.push(await shown('/v1/events?limit=500'));
  expect(texts.join('\n')).toContain('AGENT_REGISTERED');
  expect(texts.join('\n')).not.toContain(key);
  expect(JSON.stringify(await server.store.listEffects({ limit: 100 }))).not.toContain(key);
});
