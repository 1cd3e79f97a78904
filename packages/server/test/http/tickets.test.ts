import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ticketOf } from '../../../core/test/ticket.ts';
import { healthSummary, judgeCheck, ticketPage } from '../../src/http/schema/tickets.ts';
import { startHttp, stillClock, type TestServer } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

const register = async (agentId: string, group = 'default') =>
  server.client(
    (await server.client(server.tokens.enroll).register({ agentId, instanceId: 'i', group })).token,
  );
const get = (path: string) => server.call('GET', path, { token: server.tokens.viewer });
const post = (path: string, body: unknown, token = server.tokens.operator) =>
  server.call('POST', path, { token, body });
const emit = (agentId: string, fields: object = {}, token?: string) =>
  post('/v1/tickets', { ticket: ticketOf({ worker_agent_id: agentId, ...fields }) }, token);
const listed = async (query = '') => ticketPage.parse((await get(`/v1/tickets${query}`)).json).tickets;

describe('a ticket', () => {
  it('is written, asks a person, is linked to its incident, and takes an answer', async () => {
    await register('ada');
    const { status, json } = await emit('ada', { ticket_id: 'my own id' });
    expect(status).toBe(201);
    expect(json).toEqual({ status: 'emitted', ticket_id: expect.any(String), severity: 'high' });
    expect(json.ticket_id).not.toBe('my own id');
    const [ticket] = await listed('?agentId=ada');
    expect(ticket).toMatchObject({
      status: 'asking',
      incidentId: 'ada/1',
      condition: 'reported',
      answer: null,
    });
    expect(ticket?.ticket).toMatchObject({ cause: ticketOf().cause, ticket_id: json.ticket_id });
    expect((await server.operator.agent('ada')).incident).toMatchObject({
      cause: 'ticket',
      step: 'escalate',
    });

    const answered = await post(`/v1/tickets/${json.ticket_id}/answer`, {
      answer: 'false_alarm',
      by: 'alice',
    });
    expect(answered.json).toMatchObject({
      status: 'dismissed',
      answer: { answer: 'false_alarm', by: 'alice' },
    });
    expect(await listed('?agentId=ada')).toEqual([]);
    expect(await listed('?agentId=ada&status=all')).toHaveLength(1);
    expect((await get(`/v1/tickets/${json.ticket_id}`)).json).toEqual(answered.json);
  });

  it('is in the event log, by the names of seed 003', async () => {
    await register('log');
    await emit('log');
    const own = { worker_agent_id: 'log', ticket_id: expect.any(String), created_at: expect.any(String) };
    const types = 'WORKER_ESCALATION_TICKET,QUEEN_INTERVENTION_REQUESTED';
    const { events } = (await get(`/v1/events?agentId=log&type=${types}`)).json;
    expect(events).toMatchObject([
      { type: 'WORKER_ESCALATION_TICKET', payload: { ticket: { ...ticketOf(), ...own } } },
      {
        type: 'QUEEN_INTERVENTION_REQUESTED',
        payload: {
          ticket_id: expect.any(String),
          analysis: expect.any(String),
          severity: 'high',
          queen_graph_id: 'holter',
          queen_stream_id: 'triage',
        },
      },
    ]);
  });

  it('that lacks fields is refused with their names', async () => {
    await register('partial');
    const { cause: _cause, stall_minutes: _stall, ...rest } = ticketOf({ worker_agent_id: 'partial' });
    const { status, json } = await post('/v1/tickets', { ticket: { ...rest, severity: 'fatal' } });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: 'bad_ticket',
      message: 'the ticket is not complete (missing: cause, stall_minutes; wrong: severity)',
    });
    expect(await listed('?agentId=partial&status=all')).toEqual([]);
  });

  it('is written once for a condition', async () => {
    await register('once');
    await emit('once');
    expect(await emit('once', { severity: 'critical' })).toMatchObject({ status: 409 });
    expect(await listed('?agentId=once&status=all')).toHaveLength(1);
  });

  it('is dismissed where the triage sees no reason to disturb anybody, and stays visible', async () => {
    await register('low');
    await emit('low', { severity: 'low', steps_since_last_accept: 3 });
    expect(await listed('?agentId=low&status=dismissed')).toMatchObject([
      { status: 'dismissed', incidentId: null, reason: expect.stringContaining('fewer than 8') },
    ]);
    expect((await server.operator.agent('low')).incident).toBeNull();
  });

  it('carries no secret', async () => {
    await register('secret');
    const key = `sk-ant-api03-${'a'.repeat(80)}`;
    await emit('secret', { cause: `it printed ${key}`, evidence_snippet: `export KEY=${key}` });
    expect((await get('/v1/tickets?agentId=secret')).text).not.toContain(key);
  });

  it('of an unknown agent, or of another group, is refused', async () => {
    expect(await emit('nobody')).toMatchObject({ status: 404 });
    await register('elsewhere', 'elsewhere');
    expect(await emit('elsewhere', {}, server.tokens.orchestrator)).toMatchObject({ status: 403 });
    expect(await get('/v1/tickets/none')).toMatchObject({ status: 404 });
  });
});

describe('the health summary', () => {
  it('shows calls and verdicts as steps', async () => {
    const bob = await register('bob');
    const call = (n: number) =>
      bob.signal('bob', {
        kind: 'call-ended',
        callId: `c${n}`,
        tool: 'bash',
        input: { command: `try ${n}` },
        output: 'no',
        isError: false,
        text: `I try ${n}`,
      });
    for (const [n, verdict] of (['ACCEPT', 'RETRY', null, 'RETRY'] as const).entries()) {
      await call(n);
      if (verdict) await bob.signal('bob', { kind: 'verdict', verdict });
    }
    const summary = healthSummary.parse((await get('/v1/health-summary?session_id=bob')).json);
    expect(summary).toMatchObject({
      worker_agent_id: 'bob',
      session_id: 'bob',
      session_status: 'active',
      total_steps: 4,
      recent_verdicts: ['ACCEPT', 'RETRY', 'CONTINUE', 'RETRY'],
      steps_since_last_accept: 2,
      stall_minutes: null,
      evidence_snippet: 'I try 3',
      has_verdicts: true,
    });
    expect((await get('/v1/health-summary?last_n_steps=1')).json).toMatchObject({
      session_id: 'bob',
      recent_verdicts: ['RETRY'],
    });
    await bob.signal('bob', { kind: 'hold-begun', hold: 'waiting-for-input' });
    expect((await get('/v1/health-summary?session_id=bob')).json).toMatchObject({
      waiting_for: 'waiting-for-input',
    });
  });

  it('of an unknown session says so', async () => {
    for (const id of ['nobody', 'a/b']) {
      const { status, json } = await get(`/v1/health-summary?session_id=${encodeURIComponent(id)}`);
      expect([status, json.error]).toEqual([404, expect.objectContaining({ code: 'unknown_session' })]);
    }
  });
});

describe('a check by hand', () => {
  it('shows the last steps, redacted and bounded, and the checks by the clock with their reasons', async () => {
    const eve = await register('eve');
    const key = `sk-ant-api03-${'b'.repeat(80)}`;
    for (let n = 1; n <= 10; n += 1) {
      const output = n === 10 ? `export ANTHROPIC_API_KEY=${key}` : 'x'.repeat(5_000);
      const call = { callId: `c${n}`, tool: 'bash', input: { command: `try ${n}` }, output };
      await eve.signal('eve', { kind: 'call-ended', ...call, isError: n === 10, text: `I try ${n}` });
      await eve.signal('eve', { kind: 'verdict', verdict: n === 1 ? 'ACCEPT' : 'RETRY' });
    }
    await server.judge.round();
    const { text, json } = await get('/v1/judge/check?session_id=eve');
    const { steps, checks } = judgeCheck.parse(json);
    expect(steps).toHaveLength(8);
    expect(steps[0]).toMatchObject({ text: 'I try 3', result: 'x'.repeat(200), verdict: 'RETRY' });
    expect(steps.at(-1)).toMatchObject({ tool: 'bash', text: 'I try 10', isError: true });
    expect(text).not.toContain(key);
    expect(checks).toMatchObject([
      { sessionId: 'eve', verdict: 'healthy', reasoning: expect.stringContaining('First check') },
    ]);
  });
});
