import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer, until } from './kit.ts';

describe('the fleet as a page shows it', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startHttp();
    for (const agentId of ['ada', 'bob', 'cal'])
      await server.operator.register({ agentId, instanceId: `${agentId}-1`, group: 'crew', mode: 'nudge' });
  });
  afterEach(() => server.stop());

  const token = () => server.tokens.viewer;
  const fleet = async (query = '') =>
    (await server.call('GET', `/v1/fleet${query}`, { token: token() })).json as {
      total: number;
      order: string[];
      counts: { byState: Record<string, number> };
      rows: { agentId: string; state: string; why: string | null; tool: string | null; strip: string }[];
    };

  it('puts the worst first, counts everything and cuts the window', async () => {
    const error = { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 };
    await server.operator.signal('cal', error);
    const all = await fleet();
    expect(all.order).toEqual(['cal', 'ada', 'bob']);
    expect(all.counts.byState).toEqual({ FAILING: 1, HEALTHY: 2 });
    expect(all.rows[0]).toMatchObject({ agentId: 'cal', state: 'FAILING' });
    expect(all.rows[0]?.why).toBeTruthy();
    expect(await fleet('?state=HEALTHY&limit=1&offset=1')).toMatchObject({ total: 2, order: ['bob'] });
    expect(await fleet('?q=AD')).toMatchObject({ total: 1, order: ['ada'] });
    expect((await server.call('GET', '/v1/fleet?sort=odd', { token: token() })).status).toBe(400);
  });

  it('keeps each order as new as what it orders by', async () => {
    const order = async (sort: string) => (await fleet(`?sort=${sort}`)).order;
    expect(await order('beat')).toEqual(['ada', 'bob', 'cal']);
    expect(await order('tokens')).toEqual(['ada', 'bob', 'cal']);
    expect(await order('since')).toHaveLength(3);
    // A beat changes who was silent longest and who used most, and nobody's place among the worst.
    await server.operator.heartbeat('ada', { incarnation: 1 });
    await server.operator.heartbeat('cal', { incarnation: 1, tokenCount: 500 });
    expect((await order('beat'))[0]).toBe('bob');
    expect((await order('tokens'))[0]).toBe('cal');
    expect(await order('worst')).toEqual(['ada', 'bob', 'cal']);
    await server.operator.signal('bob', {
      kind: 'error',
      message: 'x',
      isUnrecoverable: true,
      incarnation: 1,
    });
    expect((await order('worst'))[0]).toBe('bob');
    expect((await order('since'))[0]).toBe('bob');
    await server.operator.register({ agentId: 'dan', instanceId: 'd', group: 'alone', mode: 'nudge' });
    expect(await order('group')).toEqual(['dan', 'ada', 'bob', 'cal']);
    const { json } = await server.call('GET', '/v1/fleet', { token: token() });
    expect(json).toMatchObject({
      groups: ['alone', 'crew'],
      counts: { byState: { FAILING: 1, HEALTHY: 3 } },
    });
  });

  it('tells when an agent without beats was heard, and who waits for a person', async () => {
    const of = async (agentId: string) =>
      (await server.call('GET', `/v1/agents/${agentId}`, { token: token() })).json;
    const call = { callId: 'c1', tool: 'bash', incarnation: 1 };
    await server.operator.signal('cal', { kind: 'call-begun', ...call });
    const [row] = (await fleet('?q=cal')).rows;
    expect(row).toMatchObject({ lastBeatAt: null, lastSignAt: expect.any(Number), needsYouSince: null });
    // An idle prompt without work asks nobody.
    const turns = { agentId: 'dan', instanceId: 'd', promises: { turns: true } };
    await server.operator.register(turns);
    await server.operator.signal('dan', { kind: 'hold-begun', hold: 'waiting-for-input', incarnation: 1 });
    expect((await fleet('?q=dan')).rows[0]).toMatchObject({ needsYouSince: null });
    await server.operator.signal('bob', { kind: 'task-assigned', taskId: 'T-1', incarnation: 1 });
    await server.operator.signal('bob', { kind: 'hold-begun', hold: 'waiting-for-input', incarnation: 1 });
    expect((await fleet('?q=bob')).rows[0]).toMatchObject({ needsYouSince: expect.any(Number) });
    expect(await of('bob')).toMatchObject({ needsYouSince: expect.any(Number) });
  });

  it('draws beats, calls and errors on the strip, and names the tool that runs', async () => {
    await server.operator.heartbeat('ada', { incarnation: 1 });
    const call = { callId: 'c1', tool: 'bash', incarnation: 1 };
    await server.operator.signal('ada', { kind: 'call-begun', ...call });
    expect((await fleet('?q=ada')).rows[0]).toMatchObject({ tool: 'bash' });
    await server.operator.signal('ada', { kind: 'call-ended', ...call, isError: true });
    const row = (await fleet('?q=ada')).rows[0];
    expect(row?.tool).toBeNull();
    expect(row?.strip).toHaveLength(120);
    // HEALTHY, an error, one call, one beat; the half minute may have changed in between.
    const codes = [...(row?.strip ?? '')].slice(-2).map((letter) => letter.charCodeAt(0) - 0x30);
    expect(codes.some((code) => (code & 16) > 0 && code >> 5 === 1)).toBe(true);
    const pulse = await server.call('GET', '/v1/agents/ada/pulse', { token: token() });
    expect(pulse.json).toMatchObject({ binMs: 30_000, newestCalls: [{ tool: 'bash', isError: true }] });
  });

  it('shows the newest calls with arguments and results, without secrets', async () => {
    const call = { callId: 'c1', tool: 'bash', incarnation: 1 };
    const input = { command: 'curl -H "Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz" x' };
    await server.operator.signal('ada', [
      { kind: 'call-begun', ...call, input },
      { kind: 'call-ended', ...call, isError: false, output: `line 1\n${'x'.repeat(5_000)}` },
    ]);
    const { json } = await server.call('GET', '/v1/agents/ada/pulse', { token: token() });
    const [newest] = (json as { newestCalls: { input: string; output: string }[] }).newestCalls;
    expect(newest?.input).toContain('curl -H');
    expect(newest?.input).not.toContain('sk-ant');
    expect(newest?.output).toMatch(/^line 1 x+…$/);
    expect(newest?.output.length).toBeLessThan(200);
  });

  it('names those that need a person first, with what may be decided and what is recommended', async () => {
    const error = { kind: 'error', message: 'no disk', isUnrecoverable: true, incarnation: 1 };
    await server.operator.signal('bob', error);
    const asked = async () =>
      (await fleet('?limit=0')) as unknown as {
        counts: { needYou: number };
        groupCounts: object[];
        needYou: { agentId: string; offers: string[]; recommended: { decision: string } | null }[];
      };
    const { counts, needYou, groupCounts } = await asked();
    expect(counts.needYou).toBe(1);
    expect(needYou).toMatchObject([{ agentId: 'bob', recommended: { decision: 'acknowledge' } }]);
    expect(needYou[0]?.offers).toContain('acknowledge');
    expect(needYou[0]?.offers).not.toContain('terminate');
    expect(groupCounts).toEqual([{ group: 'crew', byState: { FAILING: 1, HEALTHY: 2 }, needYou: 1 }]);
    // Who acknowledges it has taken it up.
    await server.operator.decide('bob/1', { decision: 'acknowledge', reason: 'mine' });
    expect((await asked()).needYou).toEqual([]);
  });

  it('counts a prompt for permission as needing a person', async () => {
    await server.operator.signal('ada', {
      kind: 'hold-begun',
      hold: 'waiting-for-permission',
      incarnation: 1,
    });
    expect(await fleet('?limit=0')).toMatchObject({ counts: { needYou: 1 }, needYou: [{ agentId: 'ada' }] });
  });

  it('leaves out those that are well, and sorts names by their numbers', async () => {
    for (const agentId of ['w-10', 'w-9', 'w-100'])
      await server.operator.register({ agentId, instanceId: 'i', group: 'numbered', mode: 'nudge' });
    expect((await fleet('?group=numbered&sort=name')).order).toEqual(['w-9', 'w-10', 'w-100']);
    const error = { kind: 'error', message: 'x', isUnrecoverable: true, incarnation: 1 };
    await server.operator.signal('w-10', error);
    expect(await fleet('?foldAbove=5')).toMatchObject({ total: 1, folded: 5, order: ['w-10'] });
    expect(await fleet('?foldAbove=6')).toMatchObject({ total: 6, folded: 0 });
  });

  it('streams the whole window first, then what changed', async () => {
    const aborted = new AbortController();
    const response = await fetch(`${server.url}/v1/fleet/live`, {
      headers: { authorization: `Bearer ${token()}` },
      signal: aborted.signal,
    });
    const reader = response.body?.getReader();
    let text = '';
    const read = async (): Promise<string> => {
      const chunk = await reader?.read();
      text += new TextDecoder().decode(chunk?.value);
      return text;
    };
    await until(read, (all) => all.includes('event: page'));
    await server.operator.register({ agentId: 'abe', instanceId: 'abe-1', group: 'crew' });
    const seen = await until(read, (all) => all.includes('event: delta'));
    const delta = JSON.parse(/event: delta\ndata: (.*)\n/.exec(seen)?.[1] ?? '{}') as Record<string, unknown>;
    expect(delta).toMatchObject({ total: 4, order: ['abe', 'ada', 'bob', 'cal'] });
    expect(delta.rows).toMatchObject([{ agentId: 'abe' }]);
    aborted.abort();
  });

  it('adds up thirty days, and tells how Holter itself is', async () => {
    const history = await server.call('GET', '/v1/history', { token: token() });
    expect(history.json.days).toHaveLength(30);
    const system = await server.call('GET', '/v1/system', { token: token() });
    expect(system.json).toMatchObject({ outbox: { dead: 0 } });
  });
});
