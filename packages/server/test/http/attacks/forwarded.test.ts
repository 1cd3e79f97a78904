import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPolicies, type Network } from '../../../src/policy/index.ts';
import { startHttp, stillClock, type TestServer } from '../kit.ts';
import { request, wire } from '../wire.ts';

let server: TestServer;
let network: Network;
const configure = (changes: Partial<Network>): void => {
  network = { ...defaultPolicies.network, ...changes };
};

beforeEach(async () => {
  configure({ hosts: ['holter.example.org', '[fd00::1]'] });
  // Time stands still, so that a slow machine does not refill what guesses use up.
  const clock = stillClock();
  server = await startHttp({ clock, network: () => network, limits: { failedLoginsPerSecond: 1 } });
});
afterEach(() => server.stop());

const get = async (...headers: string[]) =>
  (await wire(server.port, request('GET', '/health', headers))).status;
const login = async (...headers: string[]) => {
  const { secret } = await server.operator.makeLoginSecret();
  const body = JSON.stringify({ secret });
  const type = 'Content-Type: application/json';
  const { text } = await wire(server.port, request('POST', '/v1/login', [...headers, type], body));
  return /^set-cookie: (.*)\r$/im.exec(text)?.[1] ?? text;
};

describe('names of the server', () => {
  it.each<[status: number, host: string]>([
    [200, 'holter.example.org'],
    [200, 'holter.example.org:8443'],
    [200, 'HOLTER.Example.org'],
    [200, '[fd00::1]:4658'],
    [200, '127.0.0.1'],
    [421, 'holter.example.org.'],
    [421, 'user@holter.example.org'],
    [421, 'holter.example.org@evil.example'],
    [421, 'holter.example.org:1:2'],
    [421, 'holter.example.org:123456'],
    [421, 'evil.holter.example.org'],
    [421, 'holter.example.org.evil.example'],
    [421, 'holter.example.org/evil'],
    [421, 'holter.example.org,evil.example'],
    [421, 'evil.example'],
    [421, ''],
  ])('%i for Host: %s', async (status, host) => {
    expect(await get(`Host: ${host}`)).toBe(status);
  });

  it.each<[status: number, origin: string]>([
    [200, 'https://holter.example.org'],
    [200, 'https://HOLTER.example.org:8443'],
    [403, 'https://holter.example.org.'],
    [403, 'https://user@holter.example.org'],
    [403, 'https://holter.example.org.evil.example'],
    [403, 'ftp://holter.example.org'],
    [403, 'null'],
  ])('%i for Origin: %s', async (status, origin) => {
    expect(await get('Host: holter.example.org', `Origin: ${origin}`)).toBe(status);
  });

  it('says which key of the configuration would accept the name, and follows it', async () => {
    const { text } = await wire(server.port, request('GET', '/health', ['Host: other.example.org']));
    expect(text).toContain('`hosts` in holter.yaml');
    configure({ hosts: ['other.example.org'] });
    expect(await get('Host: other.example.org')).toBe(200);
    expect(await get('Host: holter.example.org')).toBe(421);
  });
});

describe('forwarded headers', () => {
  const forwarded = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: holter.example.org'];

  it('from an address that is not trusted change nothing', async () => {
    const host = `Host: 127.0.0.1:${server.port}`;
    expect(await get(host, 'X-Forwarded-Host: evil.example')).toBe(200);
    expect(await get('Host: evil.example', ...forwarded)).toBe(421);
    expect(await login(host, ...forwarded)).toMatch(new RegExp(`^holter_${server.port}=[^;]+; (?!.*Secure)`));
    configure({ trustedProxies: ['10.0.0.0/8'] });
    expect(await get('Host: evil.example', ...forwarded)).toBe(421);
    expect(await login(host, ...forwarded)).not.toContain('Secure');
  });

  it('from a trusted proxy name the server, and make the cookie one for TLS only', async () => {
    configure({ hosts: ['holter.example.org'], trustedProxies: ['127.0.0.0/8'] });
    const proxied = ['Host: 127.0.0.1:4658', ...forwarded];
    const cookie = await login(...proxied, 'X-Forwarded-For: 192.0.2.7');
    expect(cookie).toMatch(
      /^__Host-holter_80=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/,
    );
    expect(await get('Host: 127.0.0.1', 'X-Forwarded-Host: evil.example')).toBe(421);
    // The nearest proxy writes the last entry; what a client made up comes before it.
    expect(await get('Host: 127.0.0.1', 'X-Forwarded-Host: evil.example, holter.example.org')).toBe(200);
    expect(await get('Host: 127.0.0.1', 'X-Forwarded-Host: holter.example.org, evil.example')).toBe(421);

    const act = async (origin: string) => {
      const headers = [...proxied, `Cookie: ${cookie.split(';', 1)[0]}`, `Origin: ${origin}`];
      const type = 'Content-Type: application/json';
      const body = '{"reason":"x"}';
      return (await wire(server.port, request('POST', '/v1/agents/ada/pause', [...headers, type], body)))
        .status;
    };
    expect(await act('https://holter.example.org')).toBe(404);
    // A page without TLS may have been changed on its way.
    expect(await act('http://holter.example.org')).toBe(403);
  });

  it('count guesses by the address of the client, which a client can not choose', async () => {
    const guess = (...headers: string[]) =>
      wire(
        server.port,
        request('GET', '/v1/agents', ['Host: localhost', 'Authorization: Bearer x', ...headers]),
      );
    const refusals = async (addresses: readonly string[]) => {
      const statuses = [];
      for (const each of addresses) statuses.push((await guess(`X-Forwarded-For: ${each}`)).status);
      return statuses;
    };
    const many = Array.from({ length: 8 }, (_, i) => `192.0.2.${i}`);
    expect(await refusals(many)).toContain(429);
    configure({ trustedProxies: ['127.0.0.1'] });
    expect(new Set(await refusals(many.map((each) => each.replace('192.0.2', '192.0.3'))))).toEqual(
      new Set([401]),
    );
    expect(await refusals(many.map((each) => `${each}, 198.51.100.1`))).toContain(429);
    expect(await refusals(['nonsense', '', 'x'.repeat(500), '::ffff:1.2.3.4, , 1'])).not.toContain(500);
  });
});

it('is not ready while it drains', async () => {
  await server.stop();
  let isDraining = false;
  server = await startHttp({ isDraining: () => isDraining });
  await server.engine.tick();
  expect((await server.call('GET', '/ready')).json).toEqual({ ready: true, why: null });
  isDraining = true;
  const reply = await server.call('GET', '/ready');
  expect(reply.status).toBe(503);
  expect(reply.json).toEqual({ ready: false, why: 'draining' });
});
