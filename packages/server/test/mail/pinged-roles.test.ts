import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, type TestServer } from '../http/kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp();
});
afterAll(() => server.stop());

const promisesOf = async (agentId: string) => (await server.engine.read(agentId))?.hard.promises;

it.each(['critical-infrastructure', 'active-development', 'background', 'standby', 'batch', 'idle'])(
  'the role %s alone makes Holter ping the agent',
  async (role) => {
    await server.client(server.tokens.enroll).register({ agentId: role, instanceId: 'i', role });
    expect(await promisesOf(role)).toEqual({ pongs: true });
  },
);

it.each([
  ['no-role', {}],
  ['another-role', { role: 'in-process' }],
  ['says-what-it-promises', { role: 'standby', promises: {} }],
  ['beats', { role: 'standby', promises: { beatEverySeconds: 60 } }],
  ['owned', { role: 'standby', executor: 'run' }],
])('an agent that is registered otherwise is not pinged: %s', async (agentId, rest) => {
  await server.operator.register({ agentId, instanceId: 'i', ...rest });
  expect(await promisesOf(agentId)).not.toHaveProperty('pongs');
});
