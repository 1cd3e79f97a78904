import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/executors/index.ts';
import { RunRows } from '../../src/executors/run-rows.ts';
import { startHttp, type TestServer } from './kit.ts';

const HOST = 'run:a';
const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
const reason = 'because';
const look = { kind: 'process', state: 'running', cpuMs: 9, ioBytes: 9, childrenAtWork: 1, memoryBytes: 9 };

/** What an agent says of itself with its own token, and what becomes of it. */
describe('an agent’s own word', () => {
  let server: TestServer;
  const stopped: string[] = [];
  beforeAll(async () => {
    server = await startHttp();
    server.engine.addExecutor({
      name: HOST,
      id: HOST,
      kinds: new Set(['terminate', 'spawn']),
      act: async ({ agentId, kind }) => {
        stopped.push(`${kind} ${agentId}`);
        return { kind: 'receipt', outcome: 'done', detail: 'it is' };
      },
    });
  });
  afterAll(() => server.stop());

  const owned = (agentId: string, promises: object = {}) =>
    server.operator.register({
      agentId,
      instanceId: `${agentId}-1`,
      mode: 'act',
      promises: { beatEverySeconds: 60, process: true, ...promises },
      can: ['nudge', 'terminate', 'spawn'],
      executor: HOST,
    });
  const call = async (token: string, path: string, body: object) => {
    const { status, json } = await server.call('POST', path, { token, body });
    return { status, code: (json.error as { code?: string } | undefined)?.code };
  };

  it('does not end it while its process is looked at', async () => {
    const { token, stops } = await owned('ada');
    expect(stops).toEqual({ afterSeconds: 60, from: 'notice' });
    await server.client(token).signal('ada', { kind: 'stopped', reason: 'x' });
    await server.operator.signal('ada', { ...look, incarnation: 1 });
    expect(await server.operator.agent('ada')).toMatchObject({
      end: null,
      state: 'HEALTHY',
      liveness: 'alive',
    });
    await server.operator.terminate('ada', { reason });
    await expect.poll(() => stopped).toContain('terminate ada');
    await server.operator.signal('ada', { kind: 'exited', code: 0, incarnation: 1 });
    expect(await server.operator.agent('ada')).toMatchObject({ state: 'TERMINATED' });
  });

  it('does not replace it while an executor owns it', async () => {
    const { token } = await owned('bob');
    await server.client(token).heartbeat('bob');
    await server.pass(120);
    const again = { agentId: 'bob', instanceId: 'bob-2', mode: 'observe' } as const;
    for (const secret of [token, server.tokens.enroll])
      expect(await call(secret, '/v1/agents', again)).toEqual({ status: 409, code: 'agent_owned' });
    expect(await server.operator.agent('bob')).toMatchObject({ incarnation: 1, mode: 'act', executor: HOST });
    // A new run of the same name goes on.
    expect(await server.operator.register({ ...again, executor: HOST })).toMatchObject({ incarnation: 2 });
  });

  it.each(['asleep', 'hibernated', 'awaiting-gate', 'rate-limited', 'waiting-for-input'])(
    'does not hold the ladder (%s) while it goes on calling',
    async (hold) => {
      const agentId = `cal-${hold}`;
      const { token } = await owned(agentId, { calls: true });
      const cal = server.client(token);
      const until = Date.parse('3000-01-01T00:00:00Z');
      const steps: string[] = [];
      for (let round = 0; round < 28; round += 1) {
        await cal.signal(agentId, { kind: 'hold-begun', hold, until });
        const callId = `c-${round}`;
        const what = { callId, tool: 'Bash', input: { command: 'ls' } };
        await cal.signal(agentId, { kind: 'call-begun', ...what });
        await cal.signal(agentId, { kind: 'hold-begun', hold, until });
        await cal.signal(agentId, { kind: 'call-ended', ...what, output: 'same', isError: false });
        await server.pass(round < 6 ? 1 : 10);
        const { incident } = await server.operator.agent(agentId);
        if (incident) steps.push(incident.step);
      }
      expect(steps).toContain('escalate');
    },
  );

  /** What a program posts that is no session of Claude Code, or one whose agent posts by itself. */
  const hook = (token: string, event: string, fields: object = {}) =>
    server.call('POST', '/hooks/claude-code', {
      token,
      body: { hook_event_name: event, session_id: SESSION, cwd: '/tmp', ...fields },
    });
  const LIMIT = 'API Error: usage limit reached|4102444800';
  /** The run that owns the agent has told the server what it has started. */
  const started = (agentId: string, session: RunRecord['session']) =>
    new RunRows(server.store, 'this server').save({
      ...{ executorId: HOST, agentId, incarnation: 1, runId: 'r', hostId: 'h', session },
      ...{ run: { bootId: 'b', pid: 1, startedAt: '1' }, child: null, nudgeFile: null, onLost: 'adopt' },
      words: session ? 'replies' : 'file',
    });

  it.each([
    ['PermissionRequest', {}, true],
    ['Stop', {}, true],
    ['StopFailure', { error: 'rate_limit', last_assistant_message: LIMIT }, true],
    ['Notification', { notification_type: 'permission_prompt' }, false],
  ])('does not hold the ladder by a hook (%s %s, of a session: %s)', async (event, fields, isSession) => {
    const agentId = `hal-${event}`;
    const { token } = await owned(agentId, { calls: true });
    await started(agentId, isSession ? { kind: 'claude-code', id: SESSION } : undefined);
    const hal = server.client(token);
    const steps: string[] = [];
    for (let round = 0; round < 28; round += 1) {
      await hook(token, event, fields);
      const what = { callId: `c-${round}`, tool: 'Bash', input: { command: 'ls' } };
      await hal.signal(agentId, { kind: 'call-begun', ...what });
      await hook(token, event, fields);
      await hal.signal(agentId, { kind: 'call-ended', ...what, output: 'same', isError: false });
      await server.pass(round < 6 ? 1 : 10);
      const { incident } = await server.operator.agent(agentId);
      if (incident) steps.push(incident.step);
    }
    expect(steps).toContain('escalate');
  });

  it.each([
    ['a plain command', undefined, true],
    ['a session of another kind', { kind: 'codex', id: SESSION }, true],
    ['a session', { kind: 'claude-code', id: SESSION }, undefined],
  ])('a hook of %s is its own word: %s %s', async (kind, session, isOwnWord) => {
    const agentId = `ida-${kind.length}`;
    const { token } = await owned(agentId, { calls: true });
    await started(agentId, session);
    await hook(token, 'PermissionRequest');
    const holds = async () => (await server.engine.read(agentId))?.hard.holds;
    await expect.poll(holds).toMatchObject([{ kind: 'waiting-for-permission' }]);
    expect((await holds())?.[0]?.isOwnWord).toBe(isOwnWord);
  });

  it('does not take it out of its group, its mode, its promises or its incident', async () => {
    const promises = { beatEverySeconds: 30, calls: true, tasks: true } as const;
    const body = { agentId: 'eve', instanceId: 'eve-1', group: 'crew', mode: 'nudge', promises } as const;
    const { token } = await server.client(server.tokens.enroll).register(body);
    const eve = server.client(token);
    for (let n = 0; n < 6; n += 1) {
      const what = { callId: `e-${n}`, tool: 'Bash', input: { command: 'make' } };
      await eve.signal('eve', { kind: 'call-begun', ...what });
      await eve.signal('eve', { kind: 'call-ended', ...what, output: 'same', isError: true });
    }
    const { incident: open, state } = await server.operator.agent('eve');
    expect([state, open?.cause]).toEqual(['STUCK', 'repeated-call']);
    await eve.signal('eve', { kind: 'stopped', reason: 'done' });
    const other = { agentId: 'eve', instanceId: 'eve-2', group: 'elsewhere', mode: 'observe' } as const;
    const back = await eve.register({ ...other, role: 'standby', promises: {}, can: [] });
    expect(back).toMatchObject({ incarnation: 2, heartbeatEverySeconds: 30 });
    const kept = await server.operator.agent('eve');
    expect(kept).toMatchObject({
      group: 'crew',
      mode: 'nudge',
      role: 'default',
      incident: { incidentId: open?.incidentId },
    });
    const what = { callId: 'e-again', tool: 'Bash', input: { command: 'make' } };
    await server.client(back.token).signal('eve', { kind: 'call-begun', ...what });
    const again = { kind: 'call-ended', ...what, output: 'same', isError: true };
    await server.client(back.token).signal('eve', again);
    expect(await server.operator.agent('eve')).toMatchObject({
      state: 'STUCK',
      incident: { incidentId: open?.incidentId },
    });
    // Whoever starts it may give it other terms.
    await server.client(back.token).signal('eve', { kind: 'stopped', reason: 'done' });
    await server.client(server.tokens.enroll).register({ ...other, instanceId: 'eve-3', promises: {} });
    expect(await server.operator.agent('eve')).toMatchObject({ group: 'elsewhere', mode: 'observe' });
  });

  it('leaves the chain of checkpoints as it is', async () => {
    const { token } = await owned('dan');
    const dan = server.client(token);
    await dan.writeCheckpoint('dan', { checkpointId: 'c-1', content: 1 });
    await dan.writeCheckpoint('dan', { checkpointId: 'c-2', content: 2 });
    const usable = async () => (await server.operator.checkpoints('dan')).usable;
    for (const checkpointId of ['fake-1', 'c-1', 'fake-2'])
      await dan.signal('dan', { kind: 'checkpoint', checkpointId, hash: '00' });
    expect(await usable()).toBe('c-2');
    await dan.writeCheckpoint('dan', { checkpointId: 'c-3', content: 3 });
    expect(await usable()).toBe('c-3');
  });
});

describe('an order that can not be carried out', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startHttp();
  });
  afterAll(() => server.stop());

  const ended = async (agentId: string, code: number, executor: string | null) => {
    await server.operator.register({
      agentId,
      instanceId: 'i',
      mode: 'act',
      promises: { process: true },
      can: ['terminate', 'spawn'],
      executor,
    });
    await server.operator.signal(agentId, { kind: 'exited', code, incarnation: 1 });
  };
  const recover = async (agentId: string) => {
    const { decisions } = await server.operator.agent(agentId);
    const path = `/v1/agents/${agentId}/recover`;
    const { status, json } = await server.call('POST', path, {
      token: server.tokens.operator,
      body: { reason },
    });
    const message = (json.error as { message?: string } | undefined)?.message;
    expect(decisions.recover).toBe(message ?? null);
    return [status, message];
  };

  it('is refused with the reason, and offered to nobody', async () => {
    await ended('done', 0, null);
    expect(await recover('done')).toEqual([
      409,
      'it ended on purpose (exit code 0); start it again where it was started',
    ]);
    await ended('alone', 1, 'run:gone');
    // It waits for a person, and its end is on record all the same.
    expect((await server.operator.finalStates('alone')).finalStates).toMatchObject([
      { incarnation: 1, end: { how: 'crash', exitCode: 1 } },
    ]);
    expect(await recover('alone')).toEqual([
      409,
      'its `holter run` is gone; start it again where it was started',
    ]);
    server.engine.addExecutor({
      name: 'a run',
      id: 'run:gone',
      kinds: new Set(['spawn']),
      act: async () => ({ kind: 'receipt', outcome: 'done', detail: 'it is' }),
    });
    expect(await recover('alone')).toEqual([200, undefined]);
  });
});
