import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from './kit.ts';

describe('breakers over HTTP', () => {
  let server: TestServer;
  let token: string;
  beforeEach(async () => {
    server = await startHttp();
    const made = await server.operator.register({ agentId: 'ada', instanceId: 'i1', group: 'crew' });
    token = made.token;
  });
  afterEach(() => server.stop());

  const tell = (word: string, body: unknown, as = token) =>
    server.call('POST', `/v1/agents/ada/breakers/tool_execution/${word}`, { token: as, body });
  const acquire = async () => {
    const { json } = await tell('acquire', {});
    return (json as { answers: { kind: string; generation: number; permitId: number }[] }).answers[0];
  };
  const open = async () => {
    for (let tries = 0; tries < 10; tries += 1) {
      const permit = await acquire();
      if (permit?.kind !== 'permit') return;
      const { generation, permitId } = permit;
      await tell('failure', { generation, permitId });
    }
  };

  it('hands out permits, opens after failures in a row, and says when to come again', async () => {
    expect(await acquire()).toEqual({ kind: 'permit', generation: 0, permitId: 0 });
    await open();
    expect(await acquire()).toMatchObject({ kind: 'refused', because: 'open' });
    const { breakers } = await server.operator.breakers('ada');
    expect(breakers).toMatchObject([{ agentId: 'ada', name: 'tool_execution', state: 'OPEN', trips: 1 }]);
    const all = await server.call('GET', '/v1/breakers', { token: server.tokens.viewer });
    expect(all.json.breakers).toHaveLength(1);
  });

  it('is heard of by its agent: one that uses only breakers is not "never heard"', async () => {
    expect((await server.operator.agent('ada')).lastSignAt).toBeNull();
    await acquire();
    expect((await server.operator.agent('ada')).lastSignAt).not.toBeNull();
  });

  it('counts its changes for whoever collects metrics', async () => {
    await open();
    const { text } = await server.call('GET', '/metrics', { token: server.tokens.viewer });
    expect(text).toContain('holter_breaker_changes_total{breaker="tool_execution",to="OPEN"} 1');
  });

  it('takes many asks and many reports in one round trip', async () => {
    const asked = await tell('acquire', [{}, {}, {}]);
    expect(asked.json.answers).toHaveLength(3);
    const failures = Array.from({ length: 20 }, () => ({ generation: 0, permitId: 0 }));
    const told = await tell('failure', failures);
    expect(told.json.breaker).toMatchObject({ state: 'OPEN' });
    expect((await tell('acquire', [])).status).toBe(400);
  });

  it('is isolated and reset by those who decide, with a reason, and by nobody else', async () => {
    const words = { reason: 'the provider is down' };
    expect((await tell('isolate', words)).status).toBe(403);
    expect((await tell('isolate', {}, server.tokens.operator)).status).toBe(400);
    const isolated = await tell('isolate', words, server.tokens.operator);
    expect(isolated.json.breaker).toMatchObject({ state: 'OPEN', isolation: { reason: words.reason } });
    expect(await acquire()).toMatchObject({ kind: 'refused', because: 'isolated' });
    const reset = await tell('reset', { reason: 'it is back' }, server.tokens.orchestrator);
    expect(reset.json.breaker).toMatchObject({ state: 'CLOSED', isolation: null });
    expect(await acquire()).toMatchObject({ kind: 'permit' });
  });

  it.each([
    [{ generation: 'x', permitId: 0 }, 'wrong_type', 'generation'],
    [{ generation: 0 }, 'missing_field', 'permitId'],
    [{ generation: 0, permitId: 0, color: 1 }, 'unknown_field', 'color'],
    [
      [
        { generation: 0, permitId: 0 },
        { generation: 0, permitId: -1 },
      ],
      'out_of_range',
      '1.permitId',
    ],
  ])('says what is wrong with %j, and counts nothing', async (body, code, field) => {
    const refused = await tell('failure', body);
    expect(refused).toMatchObject({ status: 400, json: { error: { code, field } } });
    expect((await server.operator.breakers('ada')).breakers).toEqual([]);
  });

  it('refuses agents that nobody knows, names that are none, and the breakers of others', async () => {
    const path = '/v1/agents/bob/breakers/x/acquire';
    expect((await server.call('POST', path, { token, body: {} })).status).toBe(403);
    expect((await server.call('POST', path, { token: server.tokens.operator, body: {} })).status).toBe(404);
    const odd = '/v1/agents/ada/breakers/a%20b/acquire';
    expect((await server.call('POST', odd, { token, body: {} })).status).toBe(400);
    expect((await tell('success', { generation: -1, permitId: 0 })).status).toBe(400);
  });
});
