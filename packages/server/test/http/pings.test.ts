import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

const job = async (agentId: string, everySeconds: number, graceSeconds: number) => {
  const { path } = await server.operator.makePingKey(agentId, { everySeconds, graceSeconds });
  const ping = (rest = '', init: RequestInit = {}) => fetch(`${server.url}${path}${rest}`, init);
  const view = async () => server.operator.agent(agentId);
  const ends = async () =>
    (await server.operator.events({ agentId, type: 'JOB_ENDED' })).events.map(({ payload }) => payload);
  return { ping, view, ends };
};

describe('pings', () => {
  it('come by GET, HEAD and POST', async () => {
    const { ping, ends } = await job('any-method', 3_600, 60);
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await ping('', { method });
      expect([method, response.status]).toEqual([method, 200]);
    }
    expect(await ends()).toHaveLength(3);
  });

  it('tell how long a run took', async () => {
    const { ping, view } = await job('timed', 3_600, 600);
    await ping('/start');
    expect((await view()).job).toMatchObject({ endedAt: null, runningSince: expect.any(Number) });
    await server.pass(42);
    await ping();
    const { job: run } = await view();
    expect(run).toMatchObject({ outcome: 'done', runningSince: null });
    expect(run?.durationMs).toBe(42_000);
  });

  it('take exit codes: 0 is success, any other a failure with its code and last line', async () => {
    const { ping, view, ends } = await job('coded', 3_600, 60);
    await ping('/3', { method: 'POST', body: 'copying\ndisk full\n' });
    expect(await view()).toMatchObject({ state: 'FAILING', job: { outcome: 'failed', code: 3 } });
    expect((await view()).findings[0]).toMatchObject({
      kind: 'job-failed',
      evidence: 'its last run failed with exit code 3: disk full',
    });
    await ping('/0');
    expect((await view()).findings).toEqual([]);
    expect((await ends()).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 3],
      ['done', 0],
    ]);
    for (const wrong of ['256', '-1', 'finish'])
      expect([wrong, (await ping(`/${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it('keep the beginning of the body, without secrets, whatever its type and length', async () => {
    const { ping, ends } = await job('talkative', 3_600, 60);
    const secret = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ';
    const bodies: readonly [type: string, body: string][] = [
      ['text/plain', `key ${secret}`],
      ['application/json', 'not { json'],
      ['application/x-www-form-urlencoded', 'a=b'],
      ['application/x-ndjson', 'line'],
      ['text/plain', 'ü'.repeat(2_000_000)],
    ];
    for (const [type, body] of bodies) {
      const response = await ping('', { method: 'POST', body, headers: { 'content-type': type } });
      expect([type, response.status]).toEqual([type, 200]);
    }
    const outputs = (await ends()).map(({ output }) => String(output));
    expect(outputs[0]).toMatch(/^key /);
    expect(outputs[0]).not.toContain(secret);
    expect(outputs.slice(1, 4)).toEqual(['not { json', 'a=b', 'line']);
    expect(outputs[4]).toMatch(/^ü{1000,}$/);
    expect(outputs[4]?.length).toBeLessThan(4_100);
  });

  it('are missed: after the period a warning, after the grace time an alarm', async () => {
    const { ping, view } = await job('late', 20, 10);
    await ping();
    await server.pass(21);
    expect(await view()).toMatchObject({ state: 'DEGRADED', findings: [{ kind: 'job-late' }] });
    await server.pass(10);
    expect(await view()).toMatchObject({ state: 'FAILING', incident: { step: 'escalate' } });
    await ping();
    expect((await view()).findings).toEqual([]);
  });

  it('are missed after a start, too: a run must end within the grace time', async () => {
    const { ping, view } = await job('hung', 3_600, 10);
    await ping('/start');
    await server.pass(9);
    expect((await view()).state).toBe('HEALTHY');
    await server.pass(2);
    expect((await view()).findings[0]?.evidence).toMatch(/^its run began \d+ s ago and has not ended$/);
  });

  it('are given a usual grace time, and an agent that is known keeps its schedule', async () => {
    const made = await server.operator.makePingKey('usual', { everySeconds: 86_400 });
    expect(made).toMatchObject({ everySeconds: 86_400, graceSeconds: 3_600, isNew: true });
    const again = await server.operator.makePingKey('usual', { everySeconds: 5 });
    expect(again).toMatchObject({ everySeconds: 86_400, graceSeconds: 3_600, isNew: false });
    const short = await server.operator.makePingKey('short', { everySeconds: 60 });
    expect(short).toMatchObject({ graceSeconds: 60 });
  });
});

describe('badges', () => {
  const svg = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    return response.text();
  };

  it('show the state of an agent, and nothing else opens with their key', async () => {
    const { ping } = await job('shown', 3_600, 60);
    const { path, key } = await server.operator.makeBadge({ agentId: 'shown' });
    expect(await svg(path)).toContain('aria-label="shown: healthy"');
    await ping('/fail');
    expect(await svg(path)).toContain('aria-label="shown: failing"');
    expect((await server.call('GET', '/v1/agents/shown', { token: key })).status).toBe(401);
    const { tokens } = await server.operator.tokens();
    const token = tokens.find(({ role, agentId }) => role === 'badge' && agentId === 'shown');
    await server.operator.revokeToken(token?.tokenId ?? '');
    expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  });

  it('show the states of a group, the worst first', async () => {
    const made = await server.operator.makeBadge({ group: 'crew' });
    expect(await svg(made.path)).toContain('aria-label="crew: no agents"');
    for (const agentId of ['crew-1', 'crew-2', 'crew-3'])
      await server.operator.makePingKey(agentId, { everySeconds: 60, group: 'crew' });
    const { path } = await server.operator.makePingKey('crew-3', { everySeconds: 60 });
    await fetch(`${server.url}${path}/fail`);
    await expect.poll(() => svg(made.path)).toContain('aria-label="crew: 1 failing, 2 healthy"');
  });

  it('are wide enough for their words, and can hold any text', async () => {
    const { badgeSvg } = await import('../../src/http/badge.ts');
    const wide = badgeSvg({ label: 'a-much-longer-name', text: 'healthy', colour: 'HEALTHY' });
    const narrow = badgeSvg({ label: 'a', text: 'healthy', colour: 'HEALTHY' });
    const widthOf = (text: string) => Number(/ width="(\d+)"/.exec(text)?.[1]);
    expect(widthOf(wide)).toBeGreaterThan(widthOf(narrow) + 80);
    const hostile = badgeSvg({ label: '<script>"\'&', text: 'x', colour: 'unknown' });
    expect(hostile).not.toContain('<script>');
    expect(hostile).toContain('&lt;script&gt;&quot;&#39;&amp;');
  });

  it('are of an agent or of a group', async () => {
    for (const body of [{}, { agentId: 'a', group: 'b' }]) {
      const { status, json } = await server.call('POST', '/v1/badges', {
        token: server.tokens.operator,
        body,
      });
      expect([status, json]).toMatchObject([400, { error: { field: 'agentId' } }]);
    }
  });
});
