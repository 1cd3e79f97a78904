import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ticketOf } from '../../../../core/test/ticket.ts';
import { sha256, startHttp, type TestServer } from '../kit.ts';
import { type Asked, requests, type Scene } from './requests.ts';

/**
 * Who may call what. `matrix.txt` states the answer for every operation of /openapi.json and every caller; an
 * operation without a row fails. No cell changes the next. On the way,
 * every reply is `nosniff`, and none that is read or carries a secret may be stored.
 */
const [header = '', ...lines] = readFileSync(new URL('matrix.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const callers = header.trim().split(/\s+/) as Caller[];
const rows = lines.map((line) => {
  const [name = '', ...cells] = line.trim().split(/\s{2,}/);
  return { name, cells: cells.join(' ').split(/\s+/).map(Number) };
});

type Caller =
  | 'none'
  | 'own'
  | 'other'
  | 'subagent'
  | 'stale'
  | 'enroll'
  | 'hook'
  | 'viewer'
  | 'operator'
  | 'crew'
  | 'elsewhere'
  | 'ping'
  | 'badge'
  | 'cookie';

let server: TestServer;
let elsewhere: string;
let hook: string;
let cellCount = 0;

beforeAll(async () => {
  server = await startHttp({
    limits: { failedLoginsPerSecond: 10_000 },
    quotas: { requestsPerSecond: 100_000, streamsMax: 1_000 },
  });
  elsewhere = (await server.operator.makeToken({ role: 'orchestrator', group: 'elsewhere' })).token;
  hook = (await server.operator.makeToken({ role: 'hook', user: 'dev' })).token;
});
afterAll(() => server.stop());

const register = async (agentId: string, instanceId: string): Promise<string> => {
  const promises = { beatEverySeconds: 3_600, tasks: true };
  const enroll = server.client(server.tokens.enroll);
  return (await enroll.register({ agentId, instanceId, group: 'crew', promises })).token;
};

/** What has to be there before the call, for those who may make it. */
const before: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'POST /v1/agents/{id}/resume': ({ agentId }) => server.operator.pause(agentId, { reason: 'x' }),
  'POST /v1/agents/{id}/wake': ({ agentId }) => server.operator.snooze(agentId, { reason: 'x', minutes: 5 }),
  'POST /v1/incidents/{incidentId}/decision': openIncident,
  'POST /v1/incidents/{id}/{number}/decision': openIncident,
  'DELETE /v1/maintenance/{group}': ({ agentId }) =>
    server.operator.addMaintenance({ group: `of-${agentId}`, seconds: 60, reason: 'x' }),
  'GET /v1/agents/{id}/tasks/{task}': ({ agentId }) =>
    server.operator.task(agentId, { status: 'assigned', taskId: 'T-0' }),
  'GET /v1/tickets/{ticketId}': writeTicket,
  'POST /v1/tickets/{ticketId}/intervention': writeTicket,
  'POST /v1/tickets/{ticketId}/answer': writeTicket,
  'PATCH /api/messages': writeTo,
  'DELETE /api/messages': writeTo,
  'POST /api/messages/forward': writeTo,
  'DELETE /v1/tokens/{tokenId}': ({ agentId }) =>
    server.store.putToken({
      id: `token-of-${agentId}`,
      hash: sha256(agentId),
      role: 'viewer',
      agentId: null,
      group: null,
      createdAt: server.clock.now(),
      revokedAt: null,
    }),
};

async function writeTo({ agentId }: Scene): Promise<void> {
  await server.store.putLetter({
    letter: {
      letterId: `to-${agentId}`,
      from: 'somebody',
      to: agentId,
      clientId: null,
      subject: 'x',
      priority: 'normal',
      inReplyTo: null,
      passed: [],
      isVerified: true,
      sentAt: server.clock.now(),
      content: '{"type":"request","message":"x"}',
    },
    acknowledges: null,
    boxMax: 9,
  });
}

async function writeTicket({ agentId }: Scene): Promise<void> {
  const ticket = ticketOf({ ticket_id: `ticket-of-${agentId}`, worker_agent_id: agentId });
  await server.engine.ask(agentId, {
    kind: 'ticket',
    act: { kind: 'emit', ticket, condition: 'reported', cooldownMs: 0 },
  });
}

async function openIncident({ agentId }: Scene): Promise<void> {
  await server.operator.nudge(agentId, { reason: 'x', message: 'x' });
}

/** An agent in its second start, and what each caller shows: made when it is asked for. */
class Cell {
  readonly agentId: string;
  private readonly stale: string;
  private readonly own: string;
  private readonly made = new Map<Caller, Promise<string>>();

  private constructor(agentId: string, stale: string, own: string) {
    this.agentId = agentId;
    this.stale = stale;
    this.own = own;
  }

  static async make(): Promise<Cell> {
    cellCount += 1;
    const agentId = `cell-${cellCount}`;
    const stale = await register(agentId, 'i-1');
    await server.client(stale).signal(agentId, { kind: 'stopped', reason: 'x' });
    return new Cell(agentId, stale, await register(agentId, 'i-2'));
  }

  async shown(caller: Caller): Promise<{ scene: Scene; headers: Record<string, string> }> {
    const secret = await (this.made.get(caller) ?? this.make(caller));
    const start = caller === 'operator' || caller === 'cookie' ? { incarnation: 2 } : {};
    const scene: Scene = { agentId: this.agentId, secret, instanceId: 'i-2', start };
    if (caller === 'none') return { scene, headers: {} };
    if (caller === 'cookie') return { scene, headers: { cookie: secret, origin: server.url } };
    return { scene, headers: { authorization: `Bearer ${secret}` } };
  }

  private make(caller: Caller): Promise<string> {
    const { agentId } = this;
    const secrets: Record<Caller, () => string | Promise<string>> = {
      none: () => 'made-up',
      own: () => this.own,
      stale: () => this.stale,
      other: () => register(`${agentId}-other`, 'i'),
      subagent: () => register(`${agentId}:sub`, 'i'),
      enroll: () => server.tokens.enroll,
      hook: () => hook,
      viewer: () => server.tokens.viewer,
      operator: () => server.tokens.operator,
      crew: () => server.tokens.orchestrator,
      elsewhere: () => elsewhere,
      ping: async () => (await server.operator.makePingKey(agentId, { everySeconds: 60 })).key,
      badge: async () => (await server.operator.makeBadge({ agentId })).key,
      cookie: logIn,
    };
    const making = Promise.resolve(secrets[caller]());
    this.made.set(caller, making);
    return making;
  }
}

async function logIn(): Promise<string> {
  const { secret } = await server.operator.makeLoginSecret();
  const { headers } = await server.call('POST', '/v1/login', { body: { secret } });
  return (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

async function ask(method: string, asked: Asked, headers: Record<string, string>): Promise<number> {
  const { path, body, raw } = asked;
  const controller = new AbortController();
  const response = await fetch(`${server.url}${path}`, {
    method,
    signal: controller.signal,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...asked.headers,
    },
    ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.headers.get('x-content-type-options'), asked.path).toBe('nosniff');
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    controller.abort();
    return response.status;
  }
  const text = await response.text();
  if (method === 'GET' || text.includes('hlt_') || response.headers.has('set-cookie'))
    expect(response.headers.get('cache-control'), asked.path).toBe('no-store');
  return type.startsWith('application/x-ndjson') ? verdictStatus(text) : response.status;
}

/** The answer to a batch is 200 whatever is in it; each line has its own verdict. */
function verdictStatus(text: string): number {
  const { ok, error } = JSON.parse(text.split('\n', 1)[0] ?? '') as { ok?: true; error?: { code: string } };
  if (ok) return 200;
  return error?.code === 'forbidden' ? 403 : 409;
}

describe('the authorization matrix', () => {
  it('has a row for every operation, and no other', async () => {
    const { paths } = (await server.call('GET', '/openapi.json')).json as {
      paths: Record<string, Record<string, unknown>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const stated = rows.map(({ name }) => name.split(',', 1)[0] ?? '');
    expect([...new Set(stated)].sort()).toEqual(operations.sort());
    expect(Object.keys(requests).sort()).toEqual(rows.map(({ name }) => name).sort());
    expect(rows.filter(({ cells }) => cells.length !== callers.length)).toEqual([]);
  });

  it.each(rows)('$name', async ({ name, cells }) => {
    const method = name.split(' ', 1)[0] ?? '';
    const wrong: string[] = [];
    let cell: Cell | null = null;
    for (const [column, caller] of callers.entries()) {
      if (!cell) {
        cell = await Cell.make();
        await before[name]?.((await cell.shown('none')).scene);
      }
      const { scene, headers } = await cell.shown(caller);
      const asked = requests[name]?.(scene);
      if (!asked) throw new Error(`no request for ${name}`);
      const status = await ask(method, asked, headers);
      if (status !== cells[column]) wrong.push(`${name} | ${caller} | ${cells[column]}, but was ${status}`);
      // What was done must not change what the next caller is answered; a refusal does nothing.
      if (method !== 'GET' && status < 300) cell = null;
    }
    expect(wrong).toEqual([]);
  });
});
