import type { Effect } from '@holter/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttp, type TestServer, until } from './kit.ts';

const HOST = 'a-host';
const reason = 'because';

describe('decisions about one finding, one checkpoint, one incident', () => {
  let server: TestServer;
  const done: Effect[] = [];
  beforeAll(async () => {
    server = await startHttp();
    server.engine.addExecutor({
      name: HOST,
      id: HOST,
      kinds: new Set(['nudge', 'terminate', 'spawn']),
      act: async (effect) => {
        done.push(effect);
        return { kind: 'receipt', outcome: 'done', detail: 'it is' };
      },
    });
  });
  afterAll(() => server.stop());

  const owned = (agentId: string, role = 'default') =>
    server.operator.register({
      agentId,
      role,
      instanceId: `${agentId}-1`,
      mode: 'act',
      taskId: 'T-1',
      can: ['nudge', 'terminate', 'spawn'],
      executor: HOST,
    });
  const fail = (agentId: string) =>
    server.operator.signal(agentId, {
      kind: 'error',
      message: 'no disk',
      isUnrecoverable: true,
      incarnation: 1,
    });
  /** A second source beside the agent's own report, without which Holter never stops it. */
  const seeFrozen = (agentId: string) =>
    server.operator.signal(agentId, {
      kind: 'finding',
      finding: {
        ...{ kind: 'frozen', severity: 'act', source: 'operating-system', since: server.clock.now() },
        ...{ evidence: 'its process is stopped', threshold: '30 s stopped' },
      },
      incarnation: 1,
    });
  const hanging = (agentId: string, wanted: number) =>
    until(
      async () => (await server.notices.list()).filter((notice) => notice.agentId === agentId).length,
      (count) => count === wanted,
    );
  const post = async (path: string, body: object) => {
    const { status, json } = await server.call('POST', path, { token: server.tokens.operator, body });
    return [status, json];
  };

  it('counts an incident as noticed by whom it was shown, and not by whom it is not for', async () => {
    await owned('gus');
    await fail('gus');
    await hanging('gus', 1);
    const incidentIds = ['gus/1', 'nobody/7'];
    const path = '/v1/incidents/shown';
    const alone = (await server.operator.agent('gus')).incident;
    expect(alone?.next).toMatchObject({
      code: 'waits-for-person-only',
      step: 'human',
      at: null,
      isUnseen: true,
    });
    expect(alone?.next.why).toBe(
      'waiting for you (not seen yet); Holter will not stop it: there is evidence from one source only',
    );
    await seeFrozen('gus');
    const looked = (await server.operator.agent('gus')).incident;
    expect(looked).toMatchObject({ step: 'escalate', noticedAt: null });
    expect(looked?.next).toMatchObject({ step: 'terminate', inSeconds: 60 });
    expect(looked?.next.why).toContain('waiting for you (not seen yet)');
    const byViewer = await server.call('POST', path, { token: server.tokens.viewer, body: { incidentIds } });
    expect(byViewer.status).toBe(403);
    expect(await post(path, { incidentIds })).toEqual([200, { ok: true, noticed: 1 }]);
    await hanging('gus', 0);
    const { incident } = await server.operator.agent('gus');
    expect(incident?.noticedAt).toEqual(expect.any(Number));
    expect(incident?.next.why).toBe('if nobody decides; waiting for you');
    expect(await post(path, { incidentIds })).toEqual([200, { ok: true, noticed: 0 }]);
  });

  it('shows what is ready as soon as an agent is not healthy, and who is not there to do it', async () => {
    await owned('pia');
    for (const checkpointId of ['c-1', 'c-2', 'c-3', 'c-4'])
      await server.operator.writeCheckpoint('pia', { checkpointId, content: { checkpointId } });
    expect((await server.operator.agent('pia')).ready).toBeNull();
    await fail('pia');
    const able = {
      nudge: { by: 'its nudge file', because: null },
      stop: { by: 'its `holter run`', because: null },
      restarts: { left: 3, because: null },
    };
    const { ready, incident } = await server.operator.agent('pia');
    expect(ready).toMatchObject(able);
    expect(ready?.checkpoints?.map(({ checkpointId }) => checkpointId)).toEqual(['c-4', 'c-3', 'c-2']);
    expect(incident?.ready).toEqual(ready);
    const listed = await until(
      () => server.operator.incidents(),
      ({ notices }) => notices.some(({ agentId }) => agentId === 'pia'),
    );
    expect(listed.incidents.find(({ agentId }) => agentId === 'pia')?.ready).toEqual(ready);
    expect(listed.notices.find(({ agentId }) => agentId === 'pia')?.message).toMatch(
      /^pia needs a decision \(allow_more_time, force_handoff, terminate_and_recover\): .* Ready: nudge through its nudge file; stop by its `holter run`; 3 restarts left; valid checkpoints c-4 \(.* old\), c-3 \(.* old\), c-2 \(.* old\)\.$/,
    );
    await server.operator.register({
      ...{ agentId: 'uma', instanceId: 'uma-1', mode: 'act', executor: 'another-host' },
      can: ['nudge', 'terminate', 'spawn'],
    });
    await fail('uma');
    expect((await server.operator.agent('uma')).ready).toEqual({
      nudge: able.nudge,
      stop: { by: 'its `holter run`, when it is connected again', because: null },
      restarts: { left: 0, because: 'its `holter run` is not connected' },
      checkpoints: [],
    });
    const { notices } = await until(
      () => server.operator.incidents(),
      (page) => page.notices.some(({ agentId }) => agentId === 'uma'),
    );
    expect(notices.find(({ agentId }) => agentId === 'uma')?.message).toMatch(
      /^uma needs a decision \(allow_more_time, terminate\): .* Ready: .* when it is connected again; no automatic restart \(its `holter run` is not connected\); no valid checkpoint\.$/,
    );
  });

  it('snoozes one kind of finding, and wakes it', async () => {
    await owned('ada');
    await fail('ada');
    const finding = 'unrecoverable-error';
    const { agent } = await server.operator.snooze('ada', { reason, minutes: 60, finding });
    expect(agent.quiet).toBeNull();
    expect(agent.quietFindings).toMatchObject([{ kind: finding, reason }]);
    expect(agent.findings).toMatchObject([{ kind: finding }]);
    expect(agent.incident?.next).toMatchObject({ step: 'close', why: 'snoozed' });
    expect((await server.operator.wake('ada', { reason, finding })).agent.quietFindings).toEqual([]);
    expect(await post('/v1/agents/ada/wake', { reason, finding })).toMatchObject([
      409,
      { error: { code: 'decision_rejected', reason: 'not-quiet', message: `${finding} is not snoozed` } },
    ]);
    expect(await post('/v1/agents/ada/snooze', { reason, minutes: 1, finding: 'bad-mood' })).toMatchObject([
      400,
      { error: { field: 'finding' } },
    ]);
  });

  it('counts one finding as wrong', async () => {
    const { agent } = await server.operator.wrong('ada', { reason, finding: 'unrecoverable-error' });
    expect(agent.findings).toEqual([]);
    expect(agent.quietFindings).toMatchObject([{ kind: 'unrecoverable-error' }]);
    const { json } = await server.call('GET', '/v1/history', { token: server.tokens.viewer });
    expect((json.days as { wrong: number }[]).at(-1)?.wrong).toBe(1);
  });

  it('takes down what hangs about an incident that somebody acknowledges', async () => {
    await owned('bob');
    await fail('bob');
    await seeFrozen('bob');
    await hanging('bob', 1);
    const { incident } = await server.operator.agent('bob');
    expect(incident?.next.why).toContain('(not seen yet)');
    const words = { decision: 'acknowledge' as const, reason: 'I am on it' };
    const { agent } = await server.operator.decide(incident?.incidentId ?? '', words);
    expect(agent.incident?.acknowledged).toMatchObject({ by: 'operator', reason: 'I am on it' });
    expect(agent.incident?.next).toMatchObject({
      step: 'terminate',
      why: 'if nobody decides; waiting for you',
    });
    await hanging('bob', 0);
    const again = await post(
      `/v1/incidents/${encodeURIComponent(incident?.incidentId ?? '')}/decision`,
      words,
    );
    expect(again).toMatchObject([
      409,
      { error: { code: 'decision_rejected', reason: 'acknowledged-already' } },
    ]);
  });

  it('shows the inbox to whoever opens it as it is from then on', async () => {
    await owned('cal');
    await fail('cal');
    await owned('kim', 'patient');
    await fail('kim');
    const next = async (agentId: string, token: string) => {
      const { incidents } = await server.client(token).incidents();
      return incidents.find((incident) => incident.agentId === agentId)?.next;
    };
    await seeFrozen('cal');
    await seeFrozen('kim');
    await hanging('cal', 1);
    await hanging('kim', 1);
    // The time runs from the notice, except where the operator wants it to run from the reading.
    const before = await next('cal', server.tokens.viewer);
    expect(before).toMatchObject({ step: 'terminate', why: expect.stringContaining('(not seen yet)') });
    expect(await next('kim', server.tokens.viewer)).toMatchObject({ at: null, step: 'human' });
    expect(await next('kim', server.tokens.operator)).toMatchObject({ at: null, isUnseen: true });
    const incidentIds = await Promise.all(
      ['cal', 'kim'].map(async (id) => (await server.operator.agent(id)).incident?.incidentId),
    );
    expect(await post('/v1/incidents/shown', { incidentIds })).toEqual([200, { ok: true, noticed: 2 }]);
    await hanging('kim', 0);
    await hanging('cal', 0);
    const why = 'if nobody decides; waiting for you';
    const after = await next('kim', server.tokens.operator);
    expect(after).toMatchObject({ step: 'terminate', code: 'if-nobody-decides', why, isUnseen: false });
    expect(Number(after?.inSeconds)).toBeGreaterThan(50);
    expect(await next('cal', server.tokens.viewer)).toMatchObject({ at: before?.at, why });
  });

  it('recovers from the checkpoint that was picked, and from no other', async () => {
    await owned('eve');
    for (const checkpointId of ['c-1', 'c-2', 'c-3'])
      await server.operator.writeCheckpoint('eve', { checkpointId, content: { checkpointId } });
    await server.operator.writeCheckpoint('eve', {
      checkpointId: 'c-0',
      taskId: 'T-0',
      content: 1,
      parentId: null,
    });
    const terminate = (checkpointId: string) =>
      post('/v1/agents/eve/terminate', { reason, recover: true, checkpointId });
    const rejected = (message: string) => [
      409,
      { error: { code: 'decision_rejected', reason: 'checkpoint-unusable', message } },
    ];
    expect(await terminate('c-9')).toMatchObject(rejected('there is no checkpoint c-9 of this agent'));
    expect(await terminate('c-0')).toMatchObject(rejected('checkpoint c-0 belongs to another task'));
    expect(await post('/v1/agents/eve/terminate', { reason, checkpointId: 'c-1' })).toMatchObject([
      400,
      { error: { field: 'checkpointId' } },
    ]);
    expect(done).toEqual([]);
    await server.operator.terminate('eve', { reason, recover: true, checkpointId: 'c-1' });
    const spawned = await until(
      () => done.find(({ kind }) => kind === 'spawn'),
      (effect) => effect !== undefined,
    );
    expect(spawned).toMatchObject({ agentId: 'eve', checkpointId: 'c-1', attempt: 1 });
    const { incident } = await server.operator.agent('eve');
    expect(incident).toMatchObject({ step: 'recover', orderReason: reason });
    const { events } = await server.operator.events({ agentId: 'eve', type: 'RECOVERY_INITIATED' });
    expect(events.map(({ payload }) => payload.fromCheckpoint)).toEqual(['c-1']);
  });

  it('holds no ordered start back while many are lost at once', async () => {
    const crowd = ['s-1', 's-2', 's-3', 's-4'];
    for (const agentId of crowd) await owned(agentId);
    for (const agentId of crowd)
      await server.operator.signal(agentId, { kind: 'exited', code: 1, incarnation: 1 });
    const { agent } = await server.operator.recover('s-1', { reason });
    expect(agent.incident?.next).toMatchObject({
      step: 'recover',
      why: 'a successor is being started',
    });
  });

  it('refuses a field that would be ignored', async () => {
    const decide = (body: object) => post('/v1/incidents/bob%2F1/decision', { reason, ...body });
    for (const [field, body] of [
      ['checkpointId', { decision: 'allow_more_time', checkpointId: 'c-1' }],
      ['finding', { decision: 'terminate', finding: 'silent' }],
      ['minutes', { decision: 'acknowledge', minutes: 5 }],
    ] as const)
      expect(await decide(body)).toMatchObject([400, { error: { field } }]);
  });

  it('says what became of an order, or what it waits for', async () => {
    const newest = async (agentId: string) => (await server.operator.effects(agentId)).effects[0];
    const settled = (agentId: string, result: string) =>
      until(
        () => newest(agentId),
        (effect) => effect?.result === result,
      );
    await server.operator.register({
      ...{ agentId: 'far', instanceId: 'f', executor: 'another-host', mode: 'act' },
      can: ['nudge', 'terminate'],
    });
    await server.operator.terminate('far', { reason });
    expect(await newest('far')).toMatchObject({
      result: 'waiting',
      summary: 'is not stopped yet: its `holter run` is not connected',
    });
    expect((await server.operator.agent('far')).incident?.next.why).toBe(
      'waiting for its `holter run`, which is not connected',
    );
    const exited = { kind: 'exited', code: 0, incarnation: 1 } as const;
    await server.operator.signal('far', exited);
    expect(await settled('far', 'failed')).toMatchObject({
      summary: expect.stringMatching(/^was not stopped: it had ended already \(/),
    });
    await owned('near');
    await server.operator.terminate('near', { reason });
    expect(await settled('near', 'done')).toMatchObject({ summary: 'was stopped: it is' });
    await owned('next');
    await server.operator.forceHandoff('next', { reason });
    const { effects } = await server.operator.effects('next');
    expect(effects.find(({ kind }) => kind === 'request-handoff')?.summary).toMatch(/ask.* a handoff note/);
    const { token } = await server.operator.register({ agentId: 'remote', instanceId: 'r', can: ['nudge'] });
    await server.operator.nudge('remote', { reason });
    expect(await settled('remote', 'waiting')).toMatchObject({
      summary: 'has not read the nudge yet: it waits for the next request of the agent',
    });
    await server.call('POST', '/v1/agents/remote/heartbeat', { token, body: {} });
    expect(await settled('remote', 'done')).toMatchObject({ summary: 'got the nudge' });
  });
});
