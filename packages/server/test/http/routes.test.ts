import { checkpointHash, instant } from '@holter/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { effectPage } from '../../src/http/schema/effects.ts';
import * as views from '../../src/http/schema/views.ts';
import { sha256, startHttp, stillClock, type TestServer, until } from './kit.ts';

describe('every call, as it is meant', () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startHttp({ clock: stillClock() });
  });
  afterAll(() => server.stop());

  const asAgent = () => ({ token });

  it('registers an agent, and the same instance again', async () => {
    const body = {
      agentId: 'ada',
      instanceId: 'i-1',
      taskId: 'T-1',
      group: 'crew',
      promises: { beatEverySeconds: 10, tasks: true, checkpoints: true },
    };
    const first = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
    expect(first.status).toBe(201);
    expect(views.registered.parse(first.json)).toMatchObject({ agentId: 'ada', incarnation: 1 });
    const again = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
    expect(again.status).toBe(200);
    expect(again.json.incarnation).toBe(1);
    token = String(again.json.token);
    const other = await server.call('POST', '/v1/agents', {
      token: server.tokens.enroll,
      body: { ...body, instanceId: 'i-2' },
    });
    expect(other.status).toBe(409);
    expect(other.json).toMatchObject({ error: { code: 'agent_running' } });
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('believes an agent about nothing that Holter acts upon', async () => {
    const claims: readonly (readonly [string, object])[] = [
      ['mode', { mode: 'act' }],
      ['can', { can: ['terminate'] }],
      ['executor', { executor: 'host-1' }],
      ['promises.process', { promises: { process: true } }],
    ];
    for (const [field, claim] of claims) {
      const body = { agentId: 'liar', instanceId: 'i', ...claim };
      const reply = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
      expect([reply.status, reply.json]).toMatchObject([403, { error: { code: 'operator_needed', field } }]);
      const allowed = await server.call('POST', '/v1/agents', {
        token: server.tokens.operator,
        body: { ...body, agentId: `o${field.length}` },
      });
      expect(allowed.status).toBe(201);
    }
    expect((await server.call('GET', '/v1/agents/liar', { token: server.tokens.viewer })).status).toBe(404);
  });

  it('hears a heartbeat in both spellings, and clamps a clock that is ahead', async () => {
    const seed = {
      agent_id: 'ada',
      task_id: 'T-1',
      token_count: 12,
      phase: 'coding',
      timestamp: '2999-01-01T00:00:00Z',
    };
    const reply = await server.call('POST', '/v1/agents/ada/heartbeat', { ...asAgent(), body: seed });
    expect(reply.status).toBe(200);
    expect(views.heard.parse(reply.json)).toEqual({
      ok: true,
      directives: [],
      notes: ['timestamp was in the future; taken as now'],
    });
    const camel = { tokenCount: 15, phase: 'coding' };
    expect(
      (await server.call('POST', '/v1/agents/ada/heartbeat', { ...asAgent(), body: camel })).json,
    ).toEqual({
      ok: true,
      directives: [],
    });
    const view = await server.operator.agent('ada');
    expect(view).toMatchObject({ tokens: 15, phase: 'coding', state: 'HEALTHY', liveness: 'alive' });
    expect(view.lastBeatAt).toBeGreaterThan(0);
  });

  it('takes one signal or many', async () => {
    const one = await server.call('POST', '/v1/agents/ada/signals', {
      ...asAgent(),
      body: { kind: 'turn-begun' },
    });
    expect(views.signalsHeard.parse(one.json)).toMatchObject({ ok: true, accepted: 1 });
    const many = await server.call('POST', '/v1/agents/ada/signals', {
      ...asAgent(),
      body: [
        { kind: 'activity' },
        { kind: 'nonsense' },
        { kind: 'task-updated', taskId: 'T-1', percent: 10 },
      ],
    });
    expect(many.status).toBe(200);
    expect(many.json).toMatchObject({
      ok: false,
      accepted: 2,
      refused: [{ index: 1, error: { code: 'unknown_kind' } }],
    });
    expect((await server.operator.agent('ada')).task).toMatchObject({ taskId: 'T-1', percent: 10 });
  });

  it('takes NDJSON of many agents, each line by itself', async () => {
    const lines = [
      '{"kind":"heartbeat","agentId":"ada","incarnation":1,"phase":"coding"}',
      '{"kind":"heartbeat","agentId":"nobody"}',
      'not json',
      '',
      '{"kind":"activity","agentId":"ada","incarnation":1}',
    ];
    const reply = await server.call('POST', '/v1/signals', {
      token: server.tokens.operator,
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(reply.status).toBe(200);
    const verdicts = reply.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(verdicts).toEqual([
      { ok: true },
      { ok: false, line: 2, error: { code: 'unknown_agent', message: expect.any(String) } },
      { ok: false, line: 3, error: { code: 'bad_json', message: expect.any(String) } },
      { ok: true },
      { done: true, accepted: 2, refused: 2, directives: [] },
    ]);
  });

  it('writes a chain of checkpoints and says which one is usable', async () => {
    const write = (body: object) => server.call('POST', '/v1/agents/ada/checkpoints', { ...asAgent(), body });
    const first = await write({ checkpointId: 'c1', content: { step: 1 } });
    expect(first.status).toBe(201);
    expect(views.checkpointWritten.parse(first.json)).toMatchObject({ parentId: null, taskId: 'T-1' });
    expect((await write({ checkpointId: 'c1', content: { step: 1 } })).status).toBe(200);
    expect((await write({ checkpointId: 'c1', content: { step: 9 } })).json).toMatchObject({
      error: { code: 'checkpoint_exists' },
    });
    const place = {
      agentId: 'ada',
      checkpointId: 'c2',
      parentId: 'c1',
      taskId: 'T-1',
      content: [2],
      incarnation: 1,
      at: instant(0),
    };
    const hash = checkpointHash(place, sha256);
    const second = await write({ checkpointId: 'c2', parentId: 'c1', taskId: 'T-1', content: [2], hash });
    expect(second.json).toMatchObject({ checkpointId: 'c2', hash });
    expect((await write({ checkpointId: 'c3', content: 3, hash })).status).toBe(422);
    expect((await write({ content: 3, parentId: 'lost' })).json).toMatchObject({
      error: { code: 'unknown_parent' },
    });
    const page = views.checkpointPage.parse(
      (await server.call('GET', '/v1/agents/ada/checkpoints', asAgent())).json,
    );
    expect(page.checkpoints.map(({ checkpointId, isValid }) => [checkpointId, isValid])).toEqual([
      ['c2', true],
      ['c1', true],
    ]);
    expect(page.usable).toBe('c2');
  });

  it('shows agents, with filters and pages', async () => {
    for (const id of ['bob', 'cy'])
      await server.client(server.tokens.enroll).register({ agentId: id, instanceId: 'i' });
    const page = views.agentPage.parse(
      (await server.call('GET', '/v1/agents?limit=2&group=default', { token: server.tokens.viewer })).json,
    );
    expect(page.agents).toHaveLength(2);
    expect(page.nextCursor).not.toBeNull();
    const next = await server.operator.agents({ limit: '200', cursor: page.nextCursor ?? '' });
    expect(next.agents.map(({ agentId }) => agentId)).not.toContain(page.agents[0]?.agentId);
    expect((await server.operator.agents({ q: 'AD' })).agents.map(({ agentId }) => agentId)).toEqual(['ada']);
    expect((await server.operator.agents({ state: 'FAILING' })).agents).toEqual([]);
  });

  it('assigns and ends tasks by the orchestrator of the group', async () => {
    const token = server.tokens.orchestrator;
    const assign = (id: string) =>
      server.call('POST', `/v1/agents/${id}/task`, {
        token,
        body: { status: 'assigned', taskId: 'T-2', expectedInSeconds: 60 },
      });
    expect((await assign('bob')).status).toBe(403);
    const reply = await assign('ada');
    expect(views.decided.parse(reply.json).agent.task).toMatchObject({ taskId: 'T-2' });
    await server.operator.task('ada', { status: 'done', taskId: 'T-2' });
    expect((await server.operator.agent('ada')).task).toBeNull();
    await server.operator.task('ada', { status: 'assigned', taskId: 'T-3' });
  });

  it('goes up the ladder: nudge in a reply, escalation read, decision on record', async () => {
    const beat = () =>
      server.call('POST', '/v1/agents/ada/heartbeat', { ...asAgent(), body: { phase: 'coding' } });
    await server.pass(4);
    await beat();
    expect(
      (await server.call('GET', '/v1/agents/ada/probe', { token: server.tokens.viewer })).json,
    ).toMatchObject({ state: 'DEGRADED', isHealthy: true });
    await server.pass(6);
    const probe = await server.call('GET', '/v1/agents/ada/probe', { token: server.tokens.viewer });
    expect([probe.status, views.probe.parse(probe.json).state]).toEqual([503, 'STUCK']);
    const told = await until(beat, ({ json }) => (json.directives as unknown[]).length > 0);
    expect(views.heard.parse(told.json).directives[0]).toMatchObject({
      type: 'nudge',
      message: expect.stringMatching(/^Holter: /),
    });
    await beat();
    await server.pass(4);
    await until(
      async () => (await server.notices.list()).length,
      (count) => count > 0,
    );
    const seen = views.incidentPage.parse(
      (await server.call('GET', '/v1/incidents', { token: server.tokens.viewer })).json,
    );
    expect(seen.notices).toEqual([]);
    expect(seen.incidents[0]).toMatchObject({
      agentId: 'ada',
      step: 'escalate',
      noticedAt: null,
      next: { isUnseen: true, why: expect.stringContaining('waiting for you (not seen yet)') },
    });
    const shown = views.incidentPage.parse(
      (await server.call('GET', '/v1/incidents', { token: server.tokens.orchestrator })).json,
    );
    expect(shown.notices).toHaveLength(1);
    const incidentId = shown.incidents[0]?.incidentId ?? '';
    // Reading is no seeing: only who says that a person was shown it has read it.
    expect(await server.notices.list()).toHaveLength(1);
    const read = await server.call('POST', '/v1/incidents/shown', {
      token: server.tokens.orchestrator,
      body: { incidentIds: [incidentId] },
    });
    expect(read.json).toEqual({ ok: true, noticed: 1 });
    expect(await server.notices.list()).toEqual([]);
    const body = {
      decision: 'allow_more_time',
      minutes: 5,
      reason: 'a long build; password=hunter2hunter2',
      by: 'Maria',
    };
    const decided = await server.call('POST', `/v1/incidents/${encodeURIComponent(incidentId)}/decision`, {
      token: server.tokens.orchestrator,
      body,
    });
    expect(views.decided.parse(decided.json).agent.quiet).toMatchObject({
      by: 'Maria (orchestrator crew)',
      reason: 'a long build; password=[redacted]',
    });
    const { events } = await server.operator.events({ agentId: 'ada', type: 'DECISION_MADE' });
    expect(events[0]?.payload).toMatchObject({
      decision: 'allow_more_time',
      by: 'Maria (orchestrator crew)',
    });
    const effects = effectPage.parse(
      (await server.call('GET', '/v1/agents/ada/effects', { token: server.tokens.viewer })).json,
    );
    expect(effects.effects.map(({ kind, outcome }) => [kind, outcome])).toContainEqual([
      'nudge',
      'delivered',
    ]);
  });

  it('notes that the agent spoke after its nudge: it was seen', async () => {
    const { events } = await server.operator.events({ agentId: 'ada', type: 'EFFECT_RECEIPT' });
    expect(events.map(({ payload }) => [payload.effectId, payload.outcome])).toEqual([
      ['ada/1/nudge/1', 'delivered'],
      ['ada/1/nudge/1', 'seen'],
      ['ada/1/escalate/1', 'delivered'],
    ]);
  });

  it('acts for an operator, who says why', async () => {
    const reason = 'because';
    for (const act of ['pause', 'resume', 'wrong', 'nudge'] as const) {
      expect(views.decided.parse(await server.operator[act]('ada', { reason })).ok).toBe(true);
    }
    expect((await server.operator.snooze('ada', { reason, minutes: 1 })).agent.quiet).not.toBeNull();
    for (const act of ['terminate', 'recover'] as const) {
      const reply = await server.call('POST', `/v1/agents/ada/${act}`, {
        token: server.tokens.operator,
        body: { reason },
      });
      expect([reply.status, reply.json]).toMatchObject([409, { error: { code: 'decision_rejected' } }]);
    }
    expect(
      (
        await server.call('POST', '/v1/agents/bob/pause', {
          token: server.tokens.orchestrator,
          body: { reason },
        })
      ).status,
    ).toBe(403);
  });

  it('pages through events', async () => {
    const first = views.eventPage.parse(
      (await server.call('GET', '/v1/events?limit=3', { token: server.tokens.viewer })).json,
    );
    expect(first.events).toHaveLength(3);
    const next = await server.operator.events({ after: String(first.nextCursor), limit: '1000' });
    expect(next.events[0]?.cursor).toBeGreaterThan(first.nextCursor);
    expect(next.events.every(({ type }) => type !== 'AGENT_HEARTBEAT')).toBe(true);
  });

  it('shows roll-ups', async () => {
    const page = views.rollupPage.parse(
      (await server.call('GET', '/v1/rollups?agentId=ada', { token: server.tokens.viewer })).json,
    );
    expect(page.rollups.at(-1)).toMatchObject({ agentId: 'ada', nudges: expect.any(Number) });
  });

  it('takes pings by a key that nobody can guess', async () => {
    const made = views.pingKeyMade.parse(await server.operator.makePingKey('nightly', { everySeconds: 60 }));
    const ping = (rest: string) => fetch(`${server.url}${made.path}${rest}`, { method: 'POST' });
    for (const rest of ['/start', '', '/fail', '']) expect((await ping(rest)).status).toBe(200);
    // The failed run alone made it FAILING; good news has to last a second.
    await server.pass(2);
    const view = await server.operator.agent('nightly');
    expect(view).toMatchObject({ state: 'HEALTHY', errorCount: 1, isWorking: false });
    expect((await server.call('GET', '/v1/agents/nightly', { token: made.key })).status).toBe(401);
    const { tokens } = views.tokenPage.parse(await server.operator.tokens());
    const key = tokens.find(({ role }) => role === 'ping');
    await server.operator.revokeToken(key?.tokenId ?? '');
    expect((await ping('')).status).toBe(404);
  });

  it('makes, lists and revokes tokens', async () => {
    const made = views.tokenMade.parse(await server.operator.makeToken({ role: 'viewer' }));
    const viewer = server.client(made.token);
    expect((await viewer.agents()).agents.length).toBeGreaterThan(0);
    const listed = await server.operator.tokens();
    expect(listed.tokens.map(({ tokenId }) => tokenId)).toContain(made.tokenId);
    expect(JSON.stringify(listed)).not.toContain(made.token);
    await server.operator.revokeToken(made.tokenId);
    await expect(viewer.agents()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(
      (await server.call('DELETE', `/v1/tokens/${made.tokenId}`, { token: server.tokens.operator })).status,
    ).toBe(404);
  });

  it('lets an agent token made by hand register its own agent and speak for it', async () => {
    const made = await server.operator.makeToken({ role: 'agent', agentId: 'hand' });
    const hand = server.client(made.token);
    await hand.register({ agentId: 'hand', instanceId: 'i' });
    expect((await hand.heartbeat('hand')).ok).toBe(true);
    await expect(hand.register({ agentId: 'ada', instanceId: 'x' })).rejects.toMatchObject({ status: 403 });
  });

  it('says how it is, and describes itself', async () => {
    const health = await server.call('GET', '/health');
    expect([health.status, views.health.parse(health.json).status]).toEqual([200, 'ok']);
    expect((await server.call('HEAD', '/health')).status).toBe(200);
    expect(views.ready.parse((await server.call('GET', '/ready')).json)).toEqual({ ready: true, why: null });
    const metrics = await server.call('GET', '/metrics', { token: server.tokens.viewer });
    expect(metrics.text).toMatch(/holter_agents\{state="HEALTHY"\} [1-9]/);
    expect(metrics.text).toMatch(/holter_signals_total\{kind="heartbeat"\} [1-9]/);
    expect(metrics.text).not.toContain('ada');
    const api = (await server.call('GET', '/openapi.json')).json as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(api.openapi).toBe('3.1.0');
    expect(Object.keys(api.paths)).toContain('/v1/agents/{id}/heartbeat');
    expect(Object.keys(api.paths).length).toBeGreaterThan(25);
  });
});
