import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
});
