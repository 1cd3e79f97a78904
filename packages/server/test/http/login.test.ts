import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DecidedView } from '../../src/http/types.ts';
import { startHttp, type TestServer } from './kit.ts';

describe('logging in to the page', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startHttp();
  });
  afterEach(() => server.stop());

  const login = (secret: string) => server.call('POST', '/v1/login', { body: { secret } });
  const cookie = async (role?: 'viewer') => {
    const { secret } = await server.operator.makeLoginSecret(role ? { role } : {});
    const header = (await login(secret)).headers.get('set-cookie') ?? '';
    return { header, pair: header.split(';', 1)[0] ?? '' };
  };
  const session = (headers: Record<string, string>) => server.call('GET', '/v1/session', { headers });

  it('exchanges a secret once for a cookie that scripts and other sites can not use', async () => {
    const { secret, path, expiresInSeconds } = await server.operator.makeLoginSecret();
    expect(path).toBe(`/#login=${secret}`);
    expect(expiresInSeconds).toBe(300);
    const first = await login(secret);
    expect(first.status).toBe(204);
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^holter_${server.port}=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800$`),
    );
    expect((await login(secret)).status).toBe(401);
    expect((await login('hlt_guessed')).json).toMatchObject({ error: { code: 'login_refused' } });
  });

  it('forgets a secret after five minutes, and a session after a week', async () => {
    const { secret } = await server.operator.makeLoginSecret();
    server.clock.skip(5 * 60_000 + 1);
    expect((await login(secret)).status).toBe(401);
    const { pair } = await cookie();
    expect((await session({ cookie: pair })).status).toBe(200);
    server.clock.skip(7 * 24 * 3_600_000);
    expect((await session({ cookie: pair })).status).toBe(401);
  });

  it('gives a secret only to operators', async () => {
    for (const token of [server.tokens.viewer, server.tokens.enroll, server.tokens.orchestrator])
      expect((await server.call('POST', '/v1/login-secrets', { token, body: {} })).status).toBe(403);
  });

  it('believes a cookie only from the page itself', async () => {
    const { pair } = await cookie();
    const path = '/v1/agents/ada/pause';
    const act = (headers: Record<string, string>) =>
      server.call('POST', path, { body: { reason: 'x' }, headers: { cookie: pair, ...headers } });
    expect((await act({})).json).toMatchObject({ error: { code: 'foreign_page' } });
    expect((await act({ origin: 'http://127.0.0.1:1' })).json).toMatchObject({
      error: { code: 'foreign_page' },
    });
    expect((await act({ origin: 'http://evil.example' })).json).toMatchObject({
      error: { code: 'wrong_origin' },
    });
    expect((await act({ origin: server.url, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await act({ origin: server.url, 'sec-fetch-site': 'same-origin' })).status).toBe(404);
    expect((await session({ cookie: pair, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('knows a viewer from an operator, and ends with a log-out', async () => {
    const { pair } = await cookie('viewer');
    const own = { cookie: pair, origin: server.url };
    expect((await session(own)).json).toMatchObject({ role: 'viewer', demoSpeed: null });
    const act = await server.call('POST', '/v1/agents/ada/pause', { body: { reason: 'x' }, headers: own });
    expect(act.status).toBe(403);
    expect((await server.call('POST', '/v1/logout', { body: {}, headers: own })).status).toBe(204);
    expect((await session(own)).status).toBe(401);
    expect((await session({})).status).toBe(401);
  });

  it('decisions carry the name of the person, from the link or asked once, and never an id', async () => {
    await server.operator.register({ agentId: 'ada', instanceId: '1' });
    const by = async (pair: string) => {
      const own = { cookie: pair, origin: server.url };
      const { json } = await server.call('POST', '/v1/agents/ada/snooze', {
        body: { reason: 'x', minutes: 5 },
        headers: own,
      });
      return (json as DecidedView).agent.quiet?.by;
    };
    const { pair } = await cookie();
    expect((await session({ cookie: pair })).json).toMatchObject({ name: null, who: 'operator' });
    expect(await by(pair)).toBe('operator');
    const own = { cookie: pair, origin: server.url };
    const named = await server.call('POST', '/v1/session', { body: { name: 'Zoë B.' }, headers: own });
    const renewed = (named.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    expect((await session({ cookie: renewed })).json).toMatchObject({ name: 'Zoë B.', role: 'operator' });
    expect((await session({ cookie: pair })).status).toBe(401);
    expect(await by(renewed)).toBe('Zoë B.');
    const { secret } = await server.operator.makeLoginSecret({ name: 'ines' });
    const linked = ((await login(secret)).headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    expect(await by(linked)).toBe('ines');
  });

  it('a token keeps the name that it was made with; another name beside it is told as such', async () => {
    await server.operator.register({ agentId: 'ada', instanceId: '1' });
    const made = await server.operator.makeToken({ role: 'operator', name: 'alice' });
    expect(made).toMatchObject({ name: 'alice', role: 'operator' });
    const alice = server.client(made.token);
    const quiet = async (words: { readonly by?: string }) =>
      (await alice.snooze('ada', { reason: 'x', minutes: 5, ...words })).agent.quiet?.by;
    expect(await quiet({})).toBe('alice');
    expect(await quiet({ by: 'alice' })).toBe('alice');
    expect(await quiet({ by: 'bob' })).toBe('bob (as alice)');
    const { tokens } = await server.operator.tokens();
    expect(tokens.map(({ name }) => name).filter(Boolean)).toEqual(['alice']);
    const rename = await server.call('POST', '/v1/session', { token: made.token, body: { name: 'eve' } });
    expect(rename.json).toMatchObject({ error: { code: 'not_a_session' } });
    for (const body of [
      { role: 'enroll', name: 'alice' },
      { role: 'operator', name: 'a#b' },
      { role: 'operator', name: ' ' },
    ])
      expect((await server.call('POST', '/v1/tokens', { token: server.tokens.operator, body })).status).toBe(
        400,
      );
  });
});
