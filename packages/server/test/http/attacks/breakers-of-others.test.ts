import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Reply, startHttp, type TestServer } from '../kit.ts';

let server: TestServer;
let own: string;
let stale: string;
beforeEach(async () => {
  server = await startHttp();
  stale = await start('one');
  await server.call('POST', '/v1/agents/ada/signals', {
    token: server.tokens.operator,
    body: { kind: 'exited', incarnation: 1, code: 0 },
  });
  own = await start('two');
});
afterEach(() => server.stop());

const start = async (instanceId: string): Promise<string> =>
  (await server.operator.register({ agentId: 'ada', instanceId, group: 'crew' })).token;

const fail = (name: string, token: string, count = 20): Promise<Reply> =>
  server.call('POST', `/v1/agents/ada/breakers/${name}/failure`, {
    token,
    body: Array.from({ length: count }, () => ({ generation: 0, permitId: 0 })),
  });

const breakers = async (): Promise<readonly unknown[]> => (await server.operator.breakers('ada')).breakers;

test('an orchestrator reaches no breaker of another group', async () => {
  const { token } = await server.operator.makeToken({ role: 'orchestrator', group: 'others' });
  for (const word of ['acquire', 'success', 'failure', 'isolate', 'reset']) {
    const body = word === 'acquire' ? {} : { generation: 0, permitId: 0 };
    const decision = word === 'isolate' || word === 'reset';
    const reply = await server.call('POST', `/v1/agents/ada/breakers/tool_execution/${word}`, {
      token,
      body: decision ? { reason: 'mine' } : body,
    });
    expect([word, reply.status]).toEqual([word, 403]);
  }
  expect((await fail('tool_execution', token)).status).toBe(403);
  expect(await breakers()).toEqual([]);
  expect(await server.operator.agent('ada')).toMatchObject({ state: 'HEALTHY', incident: null });
});

test('the token of an earlier start reaches no breaker of the present one', async () => {
  const reply = await fail('tool_execution', stale);
  expect(reply.status).toBe(409);
  expect(reply.json.error).toMatchObject({ code: 'stale_incarnation' });
  expect(await breakers()).toEqual([]);
  expect((await fail('tool_execution', own)).status).toBe(200);
  expect(await breakers()).toMatchObject([{ name: 'tool_execution', state: 'OPEN' }]);
});

test("nobody reports to the breaker of Holter's own starts, and an operator may reset it", async () => {
  const { operator, orchestrator } = server.tokens;
  for (const token of [own, stale, operator, orchestrator])
    expect((await fail('recovery_attempt', token)).status).toBe(403);
  expect(await breakers()).toEqual([]);
  const path = '/v1/agents/ada/breakers/recovery_attempt';
  const ordered = async (act: string, body: object) =>
    (await server.call('POST', `${path}/${act}`, { token: operator, body })).status;
  expect(await ordered('isolate', { minutes: 1, reason: 'in repair' })).toBe(200);
  expect(await ordered('reset', { reason: 'repaired' })).toBe(200);
});

test("an agent's own breakers leave a place for the one of Holter's starts", async () => {
  for (let name = 0; name < 12; name++) await fail(`mine-${name}`, own, 1);
  const path = '/v1/agents/ada/breakers/recovery_attempt/isolate';
  await server.call('POST', path, { token: server.tokens.operator, body: { reason: 'not now' } });
  expect(await breakers()).toContainEqual(
    expect.objectContaining({ name: 'recovery_attempt', state: 'OPEN' }),
  );
});
