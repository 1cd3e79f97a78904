import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetBook } from '../../src/http/fleet/fleet-book.ts';
import { startHttp, type TestServer, until } from './kit.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startHttp();
});
afterEach(() => server.stop());

async function registerAndStop(agentId: string): Promise<string> {
  const enroll = server.client(server.tokens.enroll);
  const { token } = await enroll.register({ agentId, instanceId: 'i' });
  await server.client(token).signal(agentId, { kind: 'stopped', reason: 'done' });
  return token;
}

it('an agent that was removed after its end may register again, and its old token is not valid', async () => {
  const old = await registerAndStop('ada');
  expect(await server.store.removeEnded(['ada'])).toBe(1);
  server.clock.skip(100_000);
  const beat = (token: string) => server.call('POST', '/v1/agents/ada/heartbeat', { token, body: {} });
  expect((await beat(old)).status).toBe(401);
  const enroll = server.client(server.tokens.enroll);
  const { token, incarnation } = await enroll.register({ agentId: 'ada', instanceId: 'j' });
  expect(incarnation).toBe(1);
  expect((await beat(token)).status).toBe(200);
  expect((await beat(old)).status).toBe(401);
});

it('the book of the page forgets agents that are no longer stored', async () => {
  for (const agentId of ['ada', 'bob']) await registerAndStop(agentId);
  await server.client(server.tokens.enroll).register({ agentId: 'cyd', instanceId: 'i' });
  const later: (() => void)[] = [];
  const clock = {
    now: server.clock.now,
    after: (ms: number, run: () => void) => {
      if (ms === 600_000) later.push(run);
      return () => undefined;
    },
  };
  const { engine, store } = server;
  const book = new FleetBook({ engine, store, clock, newId: () => 'book' } as ConstructorParameters<
    typeof FleetBook
  >[0]);
  await book.ready();
  expect(book.counts().byState).toEqual({ TERMINATED: 2, HEALTHY: 1 });
  await store.removeEnded(['ada', 'cyd']);
  later[0]?.();
  await until(
    () => book.entry('ada'),
    (entry) => entry === null,
  );
  expect(book.counts().byState).toEqual({ TERMINATED: 1, HEALTHY: 1 });
  await book.close();
});
