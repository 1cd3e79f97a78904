import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256, startHttp, type TestServer } from '../kit.ts';
import { type Asked, requests, type Scene } from './requests.ts';

/**
 * Who may call what. `matrix.txt` states the answer for every operation of /openapi.json and every caller; an
 * operation without a row fails. Each cell gets an agent of its own, so that no cell changes the next.
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
  | 'viewer'
  | 'operator'
  | 'crew'
  | 'elsewhere'
  | 'ping'
  | 'cookie';

let server: TestServer;
let elsewhere: string;
let cellCount = 0;

beforeAll(async () => {
  server = await startHttp({
    limits: { failedLoginsPerSecond: 10_000, requestsPerSecond: 100_000, streamsMax: 1_000 },
  });
  elsewhere = (await server.operator.makeToken({ role: 'orchestrator', group: 'elsewhere' })).token;
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

async function openIncident({ agentId }: Scene): Promise<void> {
  await server.operator.nudge(agentId, { reason: 'x', message: 'x' });
}

/** The agent in its second start, and what the caller shows: a header, and the secret in it. */
async function prepare(caller: Caller): Promise<{ scene: Scene; headers: Record<string, string> }> {
  cellCount += 1;
  const agentId = `cell-${cellCount}`;
  const stale = await register(agentId, 'i-1');
  await server.client(stale).signal(agentId, { kind: 'stopped', reason: 'x' });
  const own = await register(agentId, 'i-2');
  const start = caller === 'operator' || caller === 'cookie' ? { incarnation: 2 } : {};
  const scene = (secret: string): Scene => ({ agentId, secret, instanceId: 'i-2', start });
  if (caller === 'none') return { scene: scene('made-up'), headers: {} };
  if (caller === 'cookie') {
    const login = await server.operator.makeLoginSecret();
    const { headers } = await server.call('POST', '/v1/login', { body: { secret: login.secret } });
    const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    return { scene: scene('made-up'), headers: { cookie, origin: server.url } };
  }
  const secrets: Record<Exclude<Caller, 'none' | 'cookie'>, () => string | Promise<string>> = {
    own: () => own,
    stale: () => stale,
    other: () => register(`${agentId}-other`, 'i'),
    subagent: () => register(`${agentId}:sub`, 'i'),
    enroll: () => server.tokens.enroll,
    viewer: () => server.tokens.viewer,
    operator: () => server.tokens.operator,
    crew: () => server.tokens.orchestrator,
    elsewhere: () => elsewhere,
    ping: async () => (await server.operator.makePingKey(agentId, { everySeconds: 60 })).key,
  };
  const secret = await secrets[caller]();
  return { scene: scene(secret), headers: { authorization: `Bearer ${secret}` } };
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
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) controller.abort();
  else if (type.startsWith('application/x-ndjson')) return verdictStatus(await response.text());
  else await response.arrayBuffer();
  return response.status;
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
    for (const [column, caller] of callers.entries()) {
      const { scene, headers } = await prepare(caller);
      await before[name]?.(scene);
      const asked = requests[name]?.(scene);
      if (!asked) throw new Error(`no request for ${name}`);
      const status = await ask(method, asked, headers);
      if (status !== cells[column]) wrong.push(`${name} | ${caller} | ${cells[column]}, but was ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});
