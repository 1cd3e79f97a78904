import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/index.ts';
import type { Tokens } from './hostile/ask.ts';
import { fromAgents } from './hostile/from-agents.ts';
import { fromPeople } from './hostile/from-people.ts';
import { onTheWire } from './hostile/on-the-wire.ts';
import { dump, startHttp, type TestServer } from './kit.ts';

const hostileRequests = [...fromAgents, ...fromPeople, ...onTheWire];

/** Invariant 11: bad input changes nothing and gets a clear error. */
describe('hostile requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-http-'));
  let server: TestServer;
  let tokens: Tokens;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    const store = await openSqlite(join(folder, 'holter.db'));
    server = await startHttp({
      store,
      limits: { requestMsMax: 600, batchBytesMax: 4_000_000, failedLoginsPerSecond: 1_000 },
    });
    const enroll = server.client(server.tokens.enroll);
    const promises = { beatEverySeconds: 3_600, tasks: true };
    const register = async (agentId: string, instanceId: string) =>
      (await enroll.register({ agentId, instanceId, promises })).token;
    const old = await register('ada', 'i-1');
    await server.client(old).signal('ada', { kind: 'stopped', reason: 'to be started anew' });
    tokens = { ...server.tokens, old, ada: await register('ada', 'i-2'), bob: await register('bob', 'i') };
    await server.client(tokens.ada).heartbeat('ada');
    await server.engine.tick();
    await server.engine.tick();
    before = await dump(store);
  });
  afterAll(async () => {
    await server.stop();
    await server.store.close();
    rmSync(folder, { recursive: true });
  });

  it('are many', () => {
    expect(hostileRequests.length).toBeGreaterThan(100);
    expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
  });

  it.each(hostileRequests)('$name → $status', async ({ send, status, code }) => {
    const reply = await send(server, tokens);
    expect(reply.text).toContain(code);
    expect(reply.status).toBe(status);
    expect(reply.text).not.toMatch(/\bat .*\.(ts|js):\d+|node_modules|SQLITE/);
    await server.engine.tick();
    expect(await dump(server.store)).toEqual(before);
    expect((await server.call('GET', '/health')).json.status).toBe('ok');
  });
});
