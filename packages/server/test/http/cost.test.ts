import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CostPage } from '../../src/http/types.ts';
import { compile, type HolterConfig } from '../../src/policy/index.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { startHttp, stillClock, type TestServer } from './kit.ts';

const prices = {
  'big-1': { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25, cache_write_hour: 10 },
};

describe('the cost of agents', () => {
  const clock = stillClock();
  let server: TestServer;
  const tokens = new Map<string, string>();

  const configure = (config: HolterConfig): void => {
    const compiled = compile(config);
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.problems));
    server.engine.setPolicies(compiled.policies);
  };
  const register = async (agentId: string, more: object = {}): Promise<void> => {
    const { token } = await server.operator.register({ agentId, instanceId: 'i', ...more });
    tokens.set(agentId, token);
  };
  const report = (agentId: string, body: object) =>
    server.call('POST', `/v1/agents/${agentId}/signals`, {
      token: tokens.get(agentId) ?? '',
      body: { kind: 'tokens', ...body },
    });
  const cost = (query: Parameters<TestServer['operator']['cost']>[0] = {}): Promise<CostPage> =>
    server.client(server.tokens.viewer).cost(query);

  beforeEach(async () => {
    server = await startHttp({ store: openMemory(), clock });
    configure({ prices });
  });
  afterEach(() => server.stop());

  it('is told by agent, with its pace and its last progress', async () => {
    await register('ada', { group: 'crew' });
    await register('bob', { group: 'night' });
    await report('ada', {
      total: 1_600,
      models: [
        { model: 'big-1', input: 1_000, output: 100, cacheRead: 400, cacheWrite: 60, cacheWriteHour: 40 },
      ],
    });
    await report('bob', { total: 70, models: [{ model: 'new', input: 70 }] });
    const page = await cost();
    expect(page).toMatchObject({
      by: 'agent',
      hasMore: false,
      prices: { date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), ownCount: 1 },
      rows: [
        {
          key: 'ada',
          tokens: 1_600,
          input: 1_000,
          output: 100,
          cacheRead: 400,
          cacheWrite: 100,
          costUsd: 0.008475,
          unpricedTokens: 0,
          isReported: false,
          agent: { group: 'crew', state: 'HEALTHY', lastProgressAt: null, endedAt: null },
        },
        { key: 'bob', tokens: 70, costUsd: null, unpricedTokens: 70 },
      ],
      total: { tokens: 1_670, costUsd: 0.008475, unpricedTokens: 70 },
    });
    expect(page.rows[0]?.agent?.tokensPerMinute).toBeGreaterThan(0);
  });

  it('is told by task, group, model and day, for the time that was asked for', async () => {
    await register('ada', { group: 'crew', taskId: 'T-1' });
    await report('ada', { total: 10, costUsd: 2, models: [{ model: 'big-1', input: 10 }] });
    clock.skip(86_400_000);
    await report('ada', { total: 30, costUsd: 3, models: [{ model: 'big-1', input: 30 }] });
    const keys = async (by: string) =>
      (await cost({ by })).rows.map(({ key, tokens: used, costUsd }) => [key, used, costUsd]);
    expect(await keys('task')).toEqual([['T-1', 30, 3]]);
    expect(await keys('group')).toEqual([['crew', 30, 3]]);
    expect(await keys('model')).toEqual([['big-1', 30, 3]]);
    const days = await keys('day');
    expect(days.map(([, ...rest]) => rest)).toEqual([
      [20, 1],
      [10, 2],
    ]);
    expect((await cost({ since: String(clock.now()) })).total).toMatchObject({
      tokens: 20,
      isReported: true,
    });
    expect((await server.call('GET', '/v1/cost?by=colour', { token: server.tokens.viewer })).status).toBe(
      400,
    );
  });

  it('is nothing where nothing was spent', async () => {
    expect(await cost()).toMatchObject({ rows: [], hasMore: false, total: { tokens: 0, costUsd: 0 } });
  });

  it('shows the budgets of the day and of groups', async () => {
    configure({ prices, budgets: { day: { usd: 10 }, group: { tokens: 1_000, warn_at: 0.5 } } });
    await register('ada', { group: 'crew' });
    await report('ada', { total: 600, costUsd: 4 });
    expect((await cost()).budgets).toEqual([
      expect.objectContaining({
        scope: 'day',
        name: '',
        spentUsd: 4,
        limitUsd: 10,
        share: 0.4,
        atLimit: 'warn',
      }),
      expect.objectContaining({
        scope: 'group',
        name: 'crew',
        spentTokens: 600,
        limitTokens: 1_000,
        share: 0.6,
      }),
    ]);
    const { findings } = await server.operator.agent('ada');
    expect(findings).toMatchObject([
      { kind: 'budget', severity: 'warn', evidence: 'its group crew has spent 600 of 1000 tokens today' },
    ]);
  });

  it('counts nothing twice when a server starts again, and goes on with the budgets of the day', async () => {
    const kept = openMemory();
    await server.stop();
    server = await startHttp({ store: kept, clock });
    configure({ budgets: { agent: { usd: 5 } } });
    await register('ada');
    await report('ada', { total: 100, costUsd: 3 });
    await server.stop();
    server = await startHttp({ store: kept, clock });
    configure({ budgets: { agent: { usd: 5 } } });
    // The first start's token is still valid, and its totals are told again.
    await report('ada', { total: 100, costUsd: 3 });
    expect((await cost()).total).toMatchObject({ tokens: 100, costUsd: 3 });
    await report('ada', { total: 120, costUsd: 4.5 });
    expect((await server.operator.agent('ada')).findings).toMatchObject([
      { kind: 'budget', severity: 'warn', evidence: 'it has spent $4.50 of $5.00 today' },
    ]);
  });

  it('is harmless and bounded, whatever an agent claims', async () => {
    configure({ budgets: { group: { usd: 100, at_limit: 'stop' } } });
    await register('liar', { group: 'crew' });
    await register('ada', { group: 'crew' });
    for (const lie of [
      { total: 1e308 },
      { total: -1 },
      { total: 1, models: [{ model: 'm'.repeat(300) }] },
      { total: 1, models: [{ model: 'm', input: -5 }] },
    ])
      expect((await report('liar', lie)).status).toBe(400);
    await report('ada', { total: 1_000, costUsd: 30 });
    await report('liar', { total: Number.MAX_SAFE_INTEGER, costUsd: 9e15 });
    for (let n = 0; n < 300; n += 1)
      await report('liar', { total: n, models: [{ model: `m-${n}`, input: 1_000 + n }] });
    await report('ada', { total: 2_000, costUsd: 40 });
    expect((await server.operator.agent('ada')).findings[0]).toMatchObject({
      kind: 'budget',
      severity: 'warn',
    });
    expect((await cost({ by: 'model' })).rows.length).toBeLessThan(12);
    const { text } = await server.call('GET', '/metrics', { token: server.tokens.viewer });
    expect(text.split('\n').filter((line) => line.startsWith('holter_tokens_total{')).length).toBeLessThan(
      20,
    );
    expect((await cost()).rows[0]).toMatchObject({ key: 'liar' });
  });

  it('is counted in metrics by group and model', async () => {
    await register('ada', { group: 'crew' });
    await report('ada', {
      total: 1_500,
      models: [
        { model: 'big-1', input: 1_000, output: 200 },
        { model: 'new', input: 50 },
      ],
    });
    const { text } = await server.call('GET', '/metrics', { token: server.tokens.viewer });
    for (const line of [
      'holter_tokens_total{group="crew",model="big-1",kind="input"} 1000',
      'holter_tokens_total{group="crew",model="big-1",kind="output"} 200',
      'holter_tokens_total{group="crew",model="unknown",kind="unknown"} 250',
      'holter_cost_usd_total{group="crew",model="big-1"} 0.01',
      'holter_unpriced_tokens_total{group="crew",model="new"} 50',
      'holter_unpriced_tokens_total{group="crew",model="unknown"} 250',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toContain('holter_cost_usd_total{group="crew",model="new"}');
  });

  it('is not for agents', async () => {
    await register('ada');
    expect((await server.call('GET', '/v1/cost', { token: tokens.get('ada') ?? '' })).status).toBe(403);
  });
});
