import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Reply, startHttp, type TestServer } from '../kit.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startHttp();
});
afterEach(() => server.stop());

const patience = {
  file: '/repo/holter.yaml',
  settings: { 'rules.silence_act': '5h', 'limits.step': 'terminate' },
};
const register = (token: string, body: object): Promise<Reply> =>
  server.call('POST', '/v1/agents', { token, body: { agentId: 'ada', instanceId: 'one', ...body } });

test('only a run may ask for longer limits, and gets at most four times as much', async () => {
  const refused = await register(server.tokens.enroll, { patience });
  expect(refused).toMatchObject({
    status: 403,
    json: { error: { code: 'operator_needed', field: 'patience' } },
  });

  const registered = await register(server.tokens.operator, { patience });
  expect(registered).toMatchObject({
    status: 201,
    json: { refusedSettings: [{ path: 'limits.step' }, { path: 'rules.silence_act' }] },
  });
  const view = await server.operator.agent('ada');
  expect(view.patience).toEqual({ file: '/repo/holter.yaml', settings: { 'rules.silence_act': '1h' } });

  // Its own token can't ask for it later.
  const own = String(registered.json.token);
  expect(await register(own, { instanceId: 'two', patience })).toMatchObject({ status: 403 });
  await register(server.tokens.operator, { agentId: 'bob' });
  expect((await server.operator.agent('bob')).patience).toBeNull();
});
