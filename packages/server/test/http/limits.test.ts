import { afterEach, describe, expect, it } from 'vitest';
import { compile } from '../../src/policy/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { startHttp, stillClock, type TestServer } from './kit.ts';

describe('limits', () => {
  let server: TestServer;
  afterEach(() => server.stop());

  const register = async (agentId: string) =>
    (await server.client(server.tokens.enroll).register({ agentId, instanceId: 'i' })).token;

  it('answers 429 to a token that asks too often, and to no other', async () => {
    server = await startHttp({ clock: stillClock(), quotas: { agentRequestsPerSecond: 2 } });
    const ada = { token: await register('ada'), body: {} };
    const bob = { token: await register('bob'), body: {} };
    const statuses: number[] = [];
    for (let i = 0; i < 8; i += 1)
      statuses.push((await server.call('POST', '/v1/agents/ada/heartbeat', ada)).status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200]);
    const late = await server.call('POST', '/v1/agents/ada/heartbeat', ada);
    expect([late.status, late.json]).toMatchObject([429, { error: { code: 'too_many_requests' } }]);
    expect(late.headers.get('retry-after')).toBe('1');
    // Seed 001 has one word for a server that can't take it now.
    const inMail = await server.call('GET', '/api/messages?agent=ada', { token: ada.token });
    expect([inMail.status, inMail.json]).toMatchObject([429, { error: 'timeout' }]);
    expect((await server.call('POST', '/v1/agents/bob/heartbeat', bob)).status).toBe(200);
    server.clock.skip(1_000);
    expect((await server.call('POST', '/v1/agents/ada/heartbeat', ada)).status).toBe(200);
  });

  it('does not look up one guessed token after the other', async () => {
    let lookedUp = 0;
    const store = openMemory({
      hook: ({ operation, when }) => {
        if (operation === 'findToken' && when === 'before') lookedUp += 1;
      },
    });
    server = await startHttp({ store, clock: stillClock(), limits: { failedLoginsPerSecond: 5 } });
    const statuses = new Map<number, number>();
    for (let i = 0; i < 50; i += 1) {
      const { status } = await server.call('GET', '/v1/agents', { token: `hlt_${i}` });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect(lookedUp).toBeLessThan(20);
  });

  it('lets an enroll token make only so many agents, also after a restart', async () => {
    server = await startHttp({ quotas: { agentsPerTokenMax: 2 } });
    await register('a');
    await register('b');
    await register('a');
    await expect(register('c')).rejects.toMatchObject({ status: 403, code: 'too_many_agents' });
    await server.stop();
    server = await startHttp({
      store: server.store,
      tokens: server.tokens,
      quotas: { agentsPerTokenMax: 2 },
    });
    await expect(register('c')).rejects.toMatchObject({ status: 403, code: 'too_many_agents' });
  });

  it('follows quotas of holter.yaml, also when it is read again', async () => {
    server = await startHttp({ clock: stillClock() });
    const quotas = (raw: unknown) => {
      const compiled = compile({ quotas: raw });
      if (compiled.kind !== 'compiled') throw new Error(JSON.stringify(compiled.problems));
      server.engine.setPolicies(compiled.policies);
    };
    const token = await register('ada');
    const ada = server.client(token);
    quotas({ per_agent: { checkpoints: 2, audit_rows_per_minute: 3 }, per_token: { agents: 50 } });
    for (let n = 0; n < 5; n += 1) {
      await ada.writeCheckpoint('ada', { content: n });
      await ada.signal('ada', { kind: 'blocker', text: `${n}` });
    }
    expect(await server.store.listCheckpoints('ada', 10)).toHaveLength(2);
    expect((await server.operator.events({ type: 'BLOCKER_REPORTED' })).events).toHaveLength(3);
    for (let n = 1; n < 50; n += 1) await register(`agent-${n}`);
    await expect(register('one-more')).rejects.toMatchObject({ code: 'too_many_agents' });
    expect((await server.operator.system()).limitHits).toMatchObject([
      { limit: 'agents_per_token', count: 1 },
    ]);
    quotas({ per_token: { agents: 51 }, per_agent: { requests_per_second: 1, tokens: 1 } });
    await register('one-more');
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await server.call('POST', '/v1/agents/ada/heartbeat', { token, body: {} })).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    await register('ada');
    expect((await server.store.listTokens()).filter(({ agentId }) => agentId === 'ada')).toHaveLength(1);
    quotas({ per_token: { streams: 1 }, streams: 5 });
    const listen = async () =>
      (
        await fetch(`${server.url}/v1/events`, {
          headers: { accept: 'text/event-stream', authorization: `Bearer ${server.tokens.viewer}` },
        })
      ).status;
    expect([await listen(), await listen()]).toEqual([200, 429]);
  });

  it('turns soft signals away when too much waits, and takes hard ones', async () => {
    server = await startHttp({ inboxMax: 0 });
    const token = await register('ada');
    const beat = await server.call('POST', '/v1/agents/ada/heartbeat', { token, body: {} });
    expect([beat.status, beat.json]).toMatchObject([429, { error: { code: 'busy' } }]);
    expect(beat.headers.get('retry-after')).toBe('1');
    const body = { kind: 'turn-begun' };
    expect((await server.call('POST', '/v1/agents/ada/signals', { token, body })).status).toBe(200);
    const lines = await server.call('POST', '/v1/signals', {
      token,
      raw: '{"kind":"heartbeat","agentId":"ada"}\n{"kind":"turn-ended","agentId":"ada"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(lines.text).toMatch(/"code":"busy".*\n\{"ok":true\}\n.*"accepted":1,"refused":1/);
  });

  it('says that the store is away, changes nothing, and goes on when it is back', async () => {
    const store = openMemory();
    server = await startHttp({ store });
    const token = await register('ada');
    const bob = { token: await register('bob'), body: {} };
    for (let i = 0; i < 2; i += 1) await server.call('POST', '/v1/agents/bob/heartbeat', bob);
    store.setHook(() => {
      throw new StoreUnavailable('disk_full', 'no space left');
    });
    const hard = { token, body: { kind: 'turn-begun' } };
    const reply = await server.call('POST', '/v1/agents/ada/signals', hard);
    expect([reply.status, reply.json]).toMatchObject([503, { error: { code: 'store_unavailable' } }]);
    expect(reply.headers.get('retry-after')).toBe('5');
    await server.engine.tick();
    const health = await server.call('GET', '/health');
    expect([health.status, health.json]).toMatchObject([
      503,
      { status: 'unavailable', store: 'unavailable' },
    ]);
    expect((await server.call('GET', '/ready')).status).toBe(503);
    // Bob's token was known a moment ago, so a beat still counts, though the token can't be looked up again.
    server.clock.skip(60_000);
    expect((await server.call('POST', '/v1/agents/bob/heartbeat', bob)).status).toBe(200);
    store.setHook(null);
    await server.engine.tick();
    expect((await server.call('POST', '/v1/agents/ada/signals', hard)).status).toBe(200);
    expect((await server.call('GET', '/health')).status).toBe(200);
  });
});
