import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ticketOf } from '../packages/core/test/ticket.ts';
import { DataFolder } from '../packages/server/src/data-folder.ts';
import { startHttp, type TestServer } from '../packages/server/test/http/kit.ts';
import { bin, cleanEnvironment } from './holter-process.ts';

// The official client talks to the real command, and that to a real server in this process.

const AGENTS = [
  'check_mail',
  'checkpoint',
  'heartbeat',
  'report_blocker',
  'report_progress',
  'request_handoff',
];
const reason = 'a test';
const HOST = 'a-host';

let server: TestServer;
let folder: string;
const clients: Client[] = [];

beforeAll(async () => {
  server = await startHttp();
  folder = mkdtempSync(join(tmpdir(), 'holter-mcp-'));
  server.engine.addExecutor({
    name: HOST,
    id: HOST,
    kinds: new Set(['terminate', 'spawn']),
    act: async () => ({ kind: 'receipt', outcome: 'done', detail: 'it is' }),
  });
  const data = new DataFolder(join(folder, 'data'));
  data.prepare();
  data.writeToken('operator', server.tokens.operator);
  data.writeServer({ url: server.url, pid: process.pid, version: '0', startedAt: 0 });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Start = {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly options?: ClientOptions;
  /** Comes before the command, and has it as its arguments. */
  readonly wrapper?: readonly string[];
};

async function connect({ args = [], env = {}, options = {}, wrapper = [] }: Start = {}): Promise<Client> {
  const [command = '', ...rest] = [...wrapper, process.execPath, bin, 'mcp', ...args];
  const transport = new StdioClientTransport({
    command,
    args: rest,
    cwd: folder,
    env: cleanEnvironment(folder, { USER: 'alice', ...env }),
  });
  const client = new Client({ name: 'test', version: '1' }, options);
  clients.push(client);
  await client.connect(transport);
  return client;
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).sort();

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given });
  const [first] = result.content as readonly { readonly text: string }[];
  return { text: first?.text ?? '', isError: result.isError === true };
}

const register = (agentId: string, more: object = {}) =>
  server.operator.register({ agentId, instanceId: `${agentId}-1`, ...more });

/** The environment in which `holter run` starts an agent. */
const environmentOf = (agentId: string, token: string) => ({
  HOLTER_AGENT_ID: agentId,
  HOLTER_TOKEN: token,
  HOLTER_URL: server.url,
});

const eventsOf = async (agentId: string, type: string) =>
  (await server.operator.events({ agentId, type })).events.map(({ payload }) => payload);

describe('an agent', () => {
  it('reports for itself, and every reply carries the nudges that wait for it', async () => {
    const { token } = await register('ada', { taskId: 'T-1' });
    const client = await connect({ env: environmentOf('ada', token) });
    expect(await namesOf(client)).toEqual(AGENTS);

    expect(await call(client, 'heartbeat', { phase: 'testing' })).toEqual({ text: 'heard', isError: false });
    expect(await server.operator.agent('ada')).toMatchObject({ phase: 'testing' });

    await server.operator.nudge('ada', { reason, message: 'try another way' });
    await server.pass(1);
    const nudged = await call(client, 'report_progress', { note: 'half of it', percent: 50 });
    expect(nudged.text).toContain('noted for task T-1');
    expect(nudged.text).toContain('try another way');
    expect((await server.operator.agent('ada')).task).toMatchObject({ percent: 50 });

    expect((await call(client, 'checkpoint', { content: { at: 3 }, checkpoint_id: 'c-1' })).text).toContain(
      'c-1',
    );
    expect((await server.operator.checkpoints('ada')).checkpoints).toMatchObject([{ content: { at: 3 } }]);

    await call(client, 'report_blocker', { text: 'no access to the registry' });
    await call(client, 'request_handoff', { reason: 'my context is full' });
    const said = JSON.stringify((await server.operator.events({ agentId: 'ada' })).events);
    expect(said).toContain('no access to the registry');
    expect(said).toContain('my context is full');
  });

  it('reads its letters once, in the words of their senders', async () => {
    const { token } = await register('bob');
    await server.operator.sendLetter({
      to: 'bob',
      subject: 'Tests',
      content: { type: 'request', message: 'Please run them.' },
    });
    const client = await connect({ env: environmentOf('bob', token) });
    expect((await call(client, 'check_mail')).text).toContain('> Please run them.');
    expect((await call(client, 'check_mail')).text).toBe('no letters');
  });

  it('is told what was wrong with a call, and is offered no tool of a supervisor', async () => {
    const { token } = await register('cy');
    const client = await connect({ env: environmentOf('cy', token) });
    expect(await call(client, 'heartbeat', { phase: 7 })).toMatchObject({ isError: true });
    expect(await call(client, 'heartbeat', { mood: 'good' })).toMatchObject({ isError: true });
    await expect(call(client, 'terminate', { agent_id: 'cy', reason })).rejects.toThrow('no tool terminate');
  });

  it('is one also if only an ancestor carries its name', async () => {
    const { token } = await register('dan');
    const wrapper = ['sh', '-c', 'env -u HOLTER_AGENT_ID -u HOLTER_TOKEN -u HOLTER_URL "$@"; exit', 'sh'];
    const client = await connect({ env: environmentOf('dan', token), wrapper });
    expect(await namesOf(client)).toEqual(AGENTS);
    expect((await call(client, 'heartbeat')).text).toBe('heard');
  });

  it('that Holter asks as its judge gets no tools, also where only an ancestor is marked', async () => {
    const wrapper = ['sh', '-c', 'env -u HOLTER_JUDGE "$@"; exit', 'sh'];
    const client = await connect({ env: { HOLTER_JUDGE: '1' }, wrapper, args: ['--allow-stop'] });
    expect(await namesOf(client)).toEqual([]);
    await expect(call(client, 'terminate', { agent_id: 'ada', reason })).rejects.toThrow('no tool terminate');
  });

  it('is one as soon as its session reports through hooks', async () => {
    const sessionId = 'c64a3fea-d51f-4305-9248-db9d38df8039';
    const program = join(folder, 'claude');
    // A program of this name, with the file that Claude Code writes about its session.
    writeFileSync(
      program,
      `#!/bin/sh
mkdir -p "$HOME/.claude/sessions"
start=$(cut -d ' ' -f 22 /proc/$$/stat)
echo "{\\"pid\\":$$,\\"procStart\\":\\"$start\\",\\"sessionId\\":\\"${sessionId}\\"}" > "$HOME/.claude/sessions/$$.json"
"$@"
`,
    );
    chmodSync(program, 0o755);
    const client = await connect({ wrapper: [program] });
    expect(await namesOf(client)).toContain('terminate');

    const body = { session_id: sessionId, cwd: '/home/dev/proj', hook_event_name: 'UserPromptSubmit' };
    await server.call('POST', '/hooks/claude-code', { token: server.tokens.enroll, body });
    await expect.poll(async () => (await server.operator.agents({ q: 'c64a3fea' })).agents.length).toBe(1);
    expect(await namesOf(client)).toEqual(AGENTS);
    expect((await call(client, 'heartbeat')).text).toBe('heard');
    const isOpen = async () =>
      (await server.operator.tokens()).tokens.filter(
        ({ agentId, revokedAt }) => agentId === 'claude.proj.c64a3fea' && revokedAt === null,
      ).length;
    expect(await isOpen()).toBe(1);
    await client.close();
    await expect.poll(isOpen).toBe(0);
  });
});

describe('a supervisor', () => {
  const failing = async (agentId: string) => {
    await register(agentId, { mode: 'act', can: ['nudge', 'terminate', 'spawn'], executor: HOST });
    await server.operator.signal(agentId, {
      kind: 'error',
      message: 'no disk',
      isUnrecoverable: true,
      incarnation: 1,
    });
    await server.pass(2);
  };

  it('sees who needs attention, and decides', async () => {
    await failing('eve');
    const client = await connect();
    const { agents } = JSON.parse((await call(client, 'list_agents')).text);
    expect(agents[0]).toMatchObject({ agent_id: 'eve', state: 'FAILING', incident_id: 'eve/1' });
    const incident = JSON.parse((await call(client, 'get_incident', { who: 'eve' })).text);
    expect(incident).toMatchObject({ incident: { incidentId: 'eve/1' }, decisions: { acknowledge: null } });
    expect(incident.events.join('\n')).toContain('INCIDENT_OPENED');

    const answer = await call(client, 'decide', { who: 'eve/1', decision: 'acknowledge', reason });
    expect(answer).toEqual({ text: 'decided; eve is FAILING', isError: false });
    expect(await eventsOf('eve', 'DECISION_MADE')).toMatchObject([{ by: 'alice through MCP', reason }]);
  });

  it('stops and restarts nobody unless it was started with --allow-stop', async () => {
    await failing('fay');
    const careful = await connect();
    for (const [name, given] of [
      ['terminate', { agent_id: 'fay', reason }],
      ['recover', { agent_id: 'fay', reason }],
      ['decide', { who: 'fay', decision: 'terminate', reason }],
      ['decide', { who: 'fay', decision: 'terminate_and_recover', reason }],
      ['decide', { who: 'fay', decision: 'force_handoff', reason }],
      ['decide', { who: 'fay', decision: 'replace', reason }],
    ] as const)
      expect(await call(careful, name, given)).toMatchObject({
        isError: true,
        text: expect.stringContaining('--allow-stop'),
      });
    expect(await eventsOf('fay', 'DECISION_MADE')).toEqual([]);

    const bold = await connect({ args: ['--allow-stop'] });
    const answer = await call(bold, 'terminate', { agent_id: 'fay', reason });
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining('decided') });
    expect(await eventsOf('fay', 'DECISION_MADE')).toMatchObject([{ by: 'alice through MCP' }]);
  });

  it('reads what a judge reads, writes a ticket, and notifies a person about it', async () => {
    await register('gus');
    const client = await connect();
    const summary = JSON.parse((await call(client, 'get_worker_health_summary', { session_id: 'gus' })).text);
    expect(summary).toMatchObject({ worker_agent_id: 'gus', total_steps: 0, steps_since_last_accept: 0 });
    expect(await call(client, 'get_worker_health_summary', { session_id: 'nobody' })).toMatchObject({
      isError: true,
    });

    const {
      ticket_id: _id,
      created_at: _at,
      ...ticket
    } = ticketOf({
      worker_agent_id: 'gus',
      severity: 'low',
      steps_since_last_accept: 5,
      stall_minutes: null,
    });
    const { cause: _cause, ...partial } = ticket;
    expect(await call(client, 'emit_escalation_ticket', { ticket: partial })).toMatchObject({
      isError: true,
      text: expect.stringContaining('missing: cause'),
    });
    const emitted = await call(client, 'emit_escalation_ticket', { ticket: JSON.stringify(ticket) });
    const { ticket_id, ...rest } = JSON.parse(emitted.text);
    expect(rest).toEqual({ status: 'emitted', severity: 'low' });

    const about = { ticket_id, analysis: 'It repeats itself.', urgency: 'high' };
    expect(JSON.parse((await call(client, 'notify_operator', about)).text)).toEqual({
      status: 'operator_notified',
      ticket_id,
    });
    expect(await eventsOf('gus', 'QUEEN_INTERVENTION_REQUESTED')).toMatchObject([
      { ticket_id, analysis: 'Urgency high, says alice through MCP: It repeats itself.' },
    ]);
    expect(await call(client, 'notify_operator', about)).toMatchObject({ isError: true });
  });

  it('with a token that may only look is offered only what reads', async () => {
    const client = await connect({ env: { HOLTER_URL: server.url, HOLTER_TOKEN: server.tokens.viewer } });
    expect(await namesOf(client)).toEqual(['get_incident', 'get_worker_health_summary', 'list_agents']);
  });

  it('speaks the versions with a handshake, and the one without', async () => {
    const old = await connect({ options: { versionNegotiation: { mode: 'legacy' } } });
    expect(old.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    await old.ping();
    const stateless = await connect({ options: { versionNegotiation: { mode: { pin: '2026-07-28' } } } });
    expect(stateless.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await namesOf(stateless)).toEqual(await namesOf(old));
    expect((await call(stateless, 'list_agents')).isError).toBe(false);
    await expect(stateless.callTool({ name: 'heartbeat' })).rejects.toThrow('no tool heartbeat');
  });

  it('is told when there is no server', async () => {
    const client = await connect({ env: { HOLTER_DATA: join(folder, 'nowhere') } });
    expect(await namesOf(client)).toContain('list_agents');
    expect(await call(client, 'list_agents')).toMatchObject({
      isError: true,
      text: expect.stringContaining('no server is running'),
    });
  });
});
