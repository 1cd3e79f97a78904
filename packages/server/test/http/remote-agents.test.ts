import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

/** An agent that an operator has registered as one that can be stopped, without a run around it. */
async function remote(agentId: string): Promise<string> {
  const { token } = await server.operator.register({
    agentId,
    instanceId: agentId,
    can: ['nudge', 'terminate'],
    promises: { beatEverySeconds: 10 },
  });
  return token;
}

const beat = async (agentId: string, token: string) =>
  (await server.call('POST', `/v1/agents/${agentId}/heartbeat`, { token, body: {} })).json;

it('asks a remote agent to stop in a reply, and believes its end when it has ended', async () => {
  const token = await remote('ada');
  await server.operator.terminate('ada', { reason: 'enough' });
  await server.pass(1);
  expect((await beat('ada', token)).directives).toMatchObject([
    { type: 'stop', message: expect.stringContaining('please save your state and stop') },
  ]);
  expect(await server.operator.agent('ada')).toMatchObject({ end: null, incident: { step: 'terminate' } });
  const body = { kind: 'stopped', reason: 'asked to' };
  await server.call('POST', '/v1/agents/ada/signals', { token, body });
  await server.pass(1);
  expect(await server.operator.agent('ada')).toMatchObject({
    state: 'TERMINATED',
    end: { how: 'stopped', byHolter: true },
    incident: null,
  });
  const { events } = await server.operator.events({ agentId: 'ada' });
  expect(events.map(({ type }) => type)).toContain('AGENT_TERMINATED');
});

it('tells a person when it was asked twice and went on', async () => {
  const token = await remote('bob');
  await server.operator.terminate('bob', { reason: 'enough' });
  let isAsked = 0;
  for (let beats = 0; beats < 30; beats += 1) {
    await server.pass(8);
    const { directives } = (await beat('bob', token)) as { directives: { type: string }[] };
    isAsked += directives.filter(({ type }) => type === 'stop').length;
  }
  expect(isAsked).toBe(2);
  expect(await server.operator.agent('bob')).toMatchObject({ end: null, incident: { step: 'human' } });
});

it('hears an agent that uses nothing but its breakers', async () => {
  const { token } = await server.operator.register({ agentId: 'cal', instanceId: 'i' });
  expect((await server.operator.agent('cal')).lastSignAt).toBeNull();
  await server.call('POST', '/v1/agents/cal/breakers/tool_execution/acquire', { token, body: {} });
  expect((await server.operator.agent('cal')).lastSignAt).toBe(server.clock.now());
});

it('tells how earlier starts ended', async () => {
  const first = await server.operator.register({ agentId: 'dan', instanceId: '1', taskId: 't1' });
  await server.call('POST', '/v1/agents/dan/signals', {
    token: first.token,
    body: { kind: 'stopped', reason: 'out of luck' },
  });
  await server.operator.register({ agentId: 'dan', instanceId: '2' });
  expect((await server.operator.finalStates('dan')).finalStates).toMatchObject([
    {
      incarnation: 1,
      state: 'TERMINATED',
      end: { how: 'stopped', detail: 'out of luck' },
      task: { taskId: 't1' },
    },
  ]);
});
