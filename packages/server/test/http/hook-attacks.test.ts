import { afterEach, describe, expect, test } from 'vitest';
import { type StartOptions, startHttp, stillClock, type TestServer, until } from './kit.ts';

// An agent as an adversary at the door for hooks. The numbers are those of the attacks that were tried.

const SESSION = 'c64a3fea-d51f-4305-9248-db9d38df8039';
/** Another session with the same first eight digits. */
const TWIN = 'c64a3fea-0000-4000-8000-000000000000';

let server: TestServer;
let failures: string[];
const start = async (options: StartOptions = {}): Promise<void> => {
  failures = [];
  const hookFailed = (error: unknown) => void failures.push(String(error));
  server = await startHttp({ hookFailed, ...options });
};
afterEach(() => server.stop());

const hook = (token: string, event: string, fields: object = {}) =>
  server.call('POST', '/hooks/claude-code', {
    token,
    body: { session_id: SESSION, cwd: '/home/dev/shop', hook_event_name: event, ...fields },
  });

const registered = async (agentId: string): Promise<string> => {
  const body = { agentId, instanceId: 'i', promises: { calls: true, turns: true } };
  const { json } = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
  return String(json.token);
};

const hookToken = async (user = 'dev@laptop'): Promise<string> =>
  (await server.operator.makeToken({ role: 'hook', user })).token;

const agents = async (): Promise<readonly string[]> =>
  (await server.store.listAgents({ limit: 10_000 })).items.map(({ agent }) => agent.hard.agentId);
const known = (agentId: string) =>
  until(
    () => server.engine.read(agentId),
    (agent) => agent !== null,
  );
/** Waits until all that was posted before has been folded in: hooks of one session are folded in order. */
const folded = async (agentId: string, token: string, fields: object): Promise<void> => {
  const isHeld = async () =>
    (await known(agentId))?.hard.holds.some(({ kind }) => kind === 'waiting-for-permission');
  await hook(token, 'PermissionRequest', fields);
  await until(isHeld, (held) => held === true);
};

describe('a subagent', () => {
  test('that registered itself is not spoken for, ended or robbed of its words by an agent of its first name', async () => {
    await start();
    const parent = await registered('h1');
    const own = await registered('h1:sub');
    await server.operator.nudge('h1:sub', { message: 'look up', reason: 'test' });
    const call = { tool_name: 'Read', tool_input: {}, tool_use_id: 'r1', agent_id: 'sub' };
    await hook(parent, 'SubagentStart', { agent_id: 'sub' });
    for (let n = 0; n < 5; n++) expect((await hook(parent, 'PreToolUse', call)).text).toBe('{}');
    await hook(parent, 'SubagentStop', { agent_id: 'sub' });
    await until(
      () => failures,
      (found) => found.length > 0,
    );
    const { end, holds } = (await known('h1:sub'))?.hard ?? {};
    expect({ end, holds }).toEqual({ end: undefined, holds: [] });
    const told = await until(
      () => hook(own, 'PreToolUse', { ...call, agent_id: undefined }),
      ({ text }) => text !== '{}',
    );
    expect(told.text).toContain('look up');
  });

  test('is made, spoken for and ended by its own parent, and by no other agent or start', async () => {
    await start();
    const parent = await registered('h1');
    await hook(parent, 'SubagentStart', { agent_id: 'helper' });
    expect((await known('h1:helper'))?.hard).toMatchObject({ reporter: { parent: 'h1' } });
    // An agent whose id makes the same name, and a hook token.
    await hook(await hookToken(), 'SubagentStop', { agent_id: 'helper' });
    await known('claude.shop.c64a3fea');
    await server.call('POST', '/v1/agents/h1/signals', {
      token: parent,
      body: { kind: 'stopped', reason: 'done' },
    });
    await until(
      async () => (await known('h1:helper'))?.hard.end,
      (end) => end !== undefined,
    );
    await hook(parent, 'SubagentStart', { agent_id: 'late' });
    await until(
      () => failures,
      (found) => found.some((line) => line.includes('is not running')),
    );
    expect(await agents()).not.toContain('h1:late');
  });
});

describe('a session is its whole id', () => {
  test.each(['enroll', 'hook'] as const)(
    'another one with the same beginning gets a name of its own (%s)',
    async (role) => {
      await start();
      const token = role === 'hook' ? await hookToken() : server.tokens.enroll;
      await hook(token, 'UserPromptSubmit', { prompt: 'work' });
      await known('claude.shop.c64a3fea');
      // Silent for a day: nobody typed.
      server.clock.skip(24 * 3_600_000);
      await hook(token, 'UserPromptSubmit', { prompt: 'x', session_id: TWIN });
      const twin = await known('claude.shop.c64a3fea-0000');
      expect(twin?.hard).toMatchObject({ incarnation: 1, reporter: { session: TWIN } });
      await hook(token, 'SessionEnd', { reason: 'other', session_id: TWIN });
      await until(
        async () => (await known('claude.shop.c64a3fea-0000'))?.hard.end,
        (end) => end !== undefined,
      );
      expect((await known('claude.shop.c64a3fea'))?.hard).toMatchObject({
        incarnation: 1,
        reporter: { session: SESSION },
      });
      expect((await known('claude.shop.c64a3fea'))?.hard.end).toBeUndefined();
    },
  );

  test('a registration does not take over a session, however long it is silent', async () => {
    await start();
    await hook(server.tokens.enroll, 'UserPromptSubmit', { prompt: 'work' });
    await known('claude.shop.c64a3fea');
    server.clock.skip(24 * 3_600_000);
    const body = { agentId: 'claude.shop.c64a3fea', instanceId: SESSION };
    const reply = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
    expect(reply).toMatchObject({ status: 409, json: { error: { code: 'agent_running' } } });
  });

  test('the hook token of another user speaks for its own sessions only', async () => {
    await start();
    const [dev, eve] = [await hookToken('dev@laptop'), await hookToken('eve@laptop')];
    await hook(dev, 'UserPromptSubmit', { prompt: 'work' });
    await known('claude.shop.c64a3fea');
    await hook(eve, 'SessionEnd', { reason: 'other' });
    await until(
      async () => (await known('claude.shop.c64a3fea-d51f'))?.hard.end,
      (end) => end !== undefined,
    );
    expect((await known('claude.shop.c64a3fea'))?.hard.end).toBeUndefined();
    // Another token of the same user goes on with the session, as after connecting again.
    await folded('claude.shop.c64a3fea', await hookToken('dev@laptop'), {});
  });
});

describe('hooks pass the checks of every registration', () => {
  test.each(['agent', 'hook'] as const)(
    '501 sessions or subagents at once are too many (%s)',
    async (role) => {
      await start({
        clock: stillClock(),
        quotas: { agentRequestsPerSecond: 1_000, requestsPerSecond: 1_000 },
      });
      const token = role === 'agent' ? await registered('h1') : await hookToken();
      const before = (await agents()).length;
      const fieldsOf = (n: number) =>
        role === 'agent'
          ? { agent_id: `sub${n}` }
          : { session_id: `${String(n).padStart(8, '0')}-d51f-4305-9248-db9d38df8039` };
      const hooks = Array.from({ length: 501 }, (_, n) =>
        hook(token, 'UserPromptSubmit', { prompt: 'x', ...fieldsOf(n) }),
      );
      const statuses = (await Promise.all(hooks)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      const answered = statuses.filter((status) => status === 200).length;
      expect(answered).toBeLessThanOrEqual(200);
      await until(agents, (made) => made.length - before === answered);
      server.clock.skip(60_000);
      const later = { session_id: 'ffffffff-d51f-4305-9248-db9d38df8039' };
      expect((await hook(token, 'UserPromptSubmit', { prompt: 'x', ...later })).status).toBe(200);
    },
  );

  test('new agents of hooks count against the quota', async () => {
    await start({ quotas: { agentsPerTokenMax: 3 } });
    const token = await registered('h1');
    for (let n = 0; n < 5; n++) await hook(token, 'SubagentStart', { agent_id: `sub${n}` });
    await until(
      () => failures,
      (found) => found.length === 2,
    );
    expect((await agents()).filter((id) => id.startsWith('h1:'))).toHaveLength(3);
  });

  test('an id of 193 characters is not made', async () => {
    await start();
    const token = await registered('h'.repeat(128));
    await hook(token, 'SubagentStart', { agent_id: 's'.repeat(64) });
    await until(
      () => failures,
      (found) => found.length > 0,
    );
    expect(await agents()).toEqual(['h'.repeat(128)]);
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'a folder called %s makes no group of that name',
    async (name) => {
      await start();
      await hook(server.tokens.enroll, 'UserPromptSubmit', { prompt: 'x', cwd: `/home/dev/${name}` });
      expect((await known('claude.unknown.c64a3fea'))?.hard.group).toBe('unknown');
    },
  );

  test('a tool name of 3 MB is dropped, and the hook only says that the session lives', async () => {
    await start();
    const call = { tool_name: 'x'.repeat(3_000_000), tool_input: {}, tool_use_id: 't1' };
    expect((await hook(server.tokens.enroll, 'PreToolUse', call)).status).toBe(200);
    await folded('claude.shop.c64a3fea', server.tokens.enroll, {});
    const record = JSON.stringify(await known('claude.shop.c64a3fea'));
    expect(record.length).toBeLessThan(3_000);
    const events = await server.store.readEvents({ after: 0, limit: 1_000 });
    expect(JSON.stringify(events).length).toBeLessThan(10_000);
  });
});

describe('a hook token', () => {
  test.each<[method: string, path: string, body?: object]>([
    ['POST', '/v1/agents', { agentId: 'eve', instanceId: 'i' }],
    ['POST', '/v1/agents/ada/signals', { kind: 'stopped', reason: 'x' }],
    ['POST', '/v1/agents/claude.shop.c64a3fea/signals', { kind: 'stopped', reason: 'x' }],
    ['GET', '/v1/agents'],
    ['GET', '/v1/agents/claude.shop.c64a3fea'],
    ['GET', '/v1/events'],
    ['GET', '/v1/incidents'],
    ['GET', '/v1/session'],
    ['POST', '/v1/tokens', { role: 'hook', user: 'eve' }],
    ['POST', '/v1/agents/ada/nudge', { reason: 'x' }],
  ])('may not %s %s', async (method, path, body) => {
    await start();
    const token = await hookToken();
    await hook(token, 'UserPromptSubmit', { prompt: 'x' });
    await registered('ada');
    const reply = await server.call(method, path, { token, ...(body && { body }) });
    expect(reply).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } });
  });

  test('is listed with its user, needs one, and is refused once it is revoked', async () => {
    await start();
    const made = await server.operator.makeToken({ role: 'hook', user: 'dev@laptop' });
    expect(made.token).toMatch(/^hlt_hook_[\w-]{43}$/);
    const { tokens } = await server.operator.tokens();
    expect(tokens).toContainEqual(
      expect.objectContaining({ tokenId: made.tokenId, role: 'hook', user: 'dev@laptop', agentId: null }),
    );
    expect(JSON.stringify(tokens)).not.toContain(made.token);
    for (const body of [
      { role: 'hook' },
      { role: 'enroll', user: 'dev' },
      { role: 'hook', user: '__proto__' },
    ])
      expect((await server.call('POST', '/v1/tokens', { token: server.tokens.operator, body })).status).toBe(
        400,
      );
    expect((await hook(made.token, 'Stop')).status).toBe(200);
    await server.operator.revokeToken(made.tokenId);
    expect((await hook(made.token, 'Stop')).status).toBe(401);
  });
});
