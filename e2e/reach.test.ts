import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { type HolterProcess, runHolter, startHolter } from './holter-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'holter-reach-'));
const file = (name: string): string => join(folder, name);
const config = file('holter.yaml');
const trusting = { NODE_EXTRA_CA_CERTS: file('cert.pem') };
let server: HolterProcess;

/** A certificate that is its own authority. */
function makeCertificate(cert: string, key: string, names: string): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
  const subject = ['-subj', '/CN=holter', '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-out', file(cert), '-keyout', file(key)], {
    stdio: 'ignore',
  });
  chmodSync(file(key), 0o600);
}

const up = (...args: string[]): Promise<HolterProcess> =>
  startHolter(folder, [
    ...['--host', '0.0.0.0', '--port', '0', '--config', config],
    ...['--tls-cert', 'cert.pem', '--tls-key', 'key.pem', ...args],
  ]);

/** To another address of this machine, under another name than its own. */
function ask(path: string, more: { method?: string; headers?: Record<string, string> } = {}): ClientRequest {
  return request(`https://holter.example.org:${server.port}${path}`, {
    ca: readFileSync(file('cert.pem')),
    agent: false,
    servername: 'holter.example.org',
    lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.2', family: 4 }]),
    ...more,
  });
}

type Got = {
  readonly status: number;
  readonly text: string;
  readonly fingerprint: string;
  readonly response: IncomingMessage;
};

async function answerTo(asked: ClientRequest): Promise<Got> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text, fingerprint, response };
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Got> => {
  const asked = ask(path, { headers });
  asked.end();
  return answerTo(asked);
};

beforeAll(async () => {
  makeCertificate('cert.pem', 'key.pem', 'DNS:holter.example.org,IP:127.0.0.1,IP:127.0.0.2');
  writeFileSync(config, 'hosts: [holter.example.org, 127.0.0.2]\ndrain: 60s\n');
  server = await up();
});

afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('answers another name on another address, over TLS only', async () => {
  expect((await get('/health')).status).toBe(200);
  expect((await get('/health', { host: 'evil.example' })).status).toBe(421);
  expect((await get('/v1/agents')).status).toBe(401);
  const plain = plainRequest(`http://127.0.0.2:${server.port}/health`).end();
  await expect(once(plain, 'response')).rejects.toThrow(/hang up|reset/i);
  expect((await get('/health')).status).toBe(200);
});

it('commands and programs reach it by https, and say what is wrong with a certificate', async () => {
  expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
  expect(await runHolter(folder, ['status'], trusting)).toMatchObject({ code: 0, err: '' });
  const elsewhere = {
    HOLTER_URL: `https://127.0.0.2:${server.port}`,
    HOLTER_TOKEN: server.token('operator'),
  };
  const run = ['run', '--agent', 'ada', '--', process.execPath, '-e', ''];
  expect((await runHolter(folder, run, { ...elsewhere, ...trusting })).code).toBe(0);
  const listed = await runHolter(folder, ['status', '--all', '--json'], { ...elsewhere, ...trusting });
  expect(listed.out, listed.err).toContain('"ada"');

  const untrusted = await runHolter(folder, ['status'], elsewhere);
  expect(untrusted.code).toBe(1);
  expect(untrusted.err).toMatch(/can't be used: its certificate is not signed by[\s\S]*NODE_EXTRA_CA_CERTS/);
  const wrongName = { ...elsewhere, ...trusting, HOLTER_URL: `https://127.0.0.3:${server.port}` };
  expect((await runHolter(folder, ['status'], wrongName)).err).toMatch(
    /certificate is for another name: 127\.0\.0\.1, 127\.0\.0\.2\n$/,
  );
  expect((await runHolter(folder, run, wrongName)).err).toMatch(/certificate is for another name/);
  // Without the authority they do not take the server of the folder for gone, and start no other one.
  for (const command of [['down'], run])
    expect((await runHolter(folder, command)).err).toMatch(/certificate is not signed by/);
});

it('takes a renewed certificate on SIGHUP, and keeps the old one when the files are wrong', async () => {
  const fingerprint = (name: string) => new X509Certificate(readFileSync(file(name))).fingerprint256;
  const before = fingerprint('cert.pem');
  expect((await get('/health')).fingerprint).toBe(before);
  const key = readFileSync(file('key.pem'));
  makeCertificate('other.pem', 'other-key.pem', 'DNS:holter.example.org,IP:127.0.0.1,IP:127.0.0.2');
  writeFileSync(file('key.pem'), readFileSync(file('other-key.pem')));
  process.kill(server.pid, 'SIGHUP');
  await until('the key is refused', () =>
    /belongs to another certificate; the old certificate stays/.test(server.log()),
  );
  writeFileSync(file('key.pem'), key);
  makeCertificate('cert.pem', 'key.pem', 'DNS:holter.example.org,IP:127.0.0.1,IP:127.0.0.2');
  chmodSync(file('key.pem'), 0o644);
  process.kill(server.pid, 'SIGHUP');
  await until('the warning', () =>
    server.log().includes('every user of this machine may use the private key'),
  );
  await until('the new one', async () => (await get('/health')).fingerprint === fingerprint('cert.pem'));
  expect(fingerprint('cert.pem')).not.toBe(before);
});

it('drains: not ready, still serving; then ends what waits and answers what is under way', async () => {
  const authorization = `Bearer ${server.token('operator')}`;
  const stream = ask('/v1/events', { headers: { authorization, accept: 'text/event-stream' } });
  stream.end();
  const [events] = (await once(stream, 'response')) as [IncomingMessage];
  const streamEnd = once(events, 'end');
  events.resume();
  const body = JSON.stringify({ agentId: 'late', instanceId: '1' });
  const slow = ask('/v1/agents', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', 'content-length': String(body.length) },
  });
  slow.write(body.slice(0, 10));
  const [socket] = (await once(slow, 'socket')) as [TLSSocket];
  await once(socket, 'secureConnect');
  await until('ready', async () => (await get('/ready')).status === 200);

  process.kill(server.pid, 'SIGTERM');
  const ready = await until('draining', async () => {
    const reply = await get('/ready');
    return reply.status === 503 && reply;
  });
  expect(JSON.parse(ready.text)).toEqual({ ready: false, why: 'draining' });
  expect((await get('/v1/agents', { authorization })).status).toBe(200);

  const gone = server.end('SIGTERM');
  await streamEnd;
  slow.end(body.slice(10));
  expect((await answerTo(slow)).status).toBe(201);
  expect(await gone).toBe(0);
});

it('does not start with a key of another certificate, or on an open address without TLS', async () => {
  const both = ['--tls-cert', 'cert.pem', '--tls-key', 'other-key.pem'];
  const wrong = await runHolter(folder, ['up', '--port', '0', ...both]);
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.err).toMatch(/can't be used: the key belongs to another certificate/);
  expect((await runHolter(folder, ['up', '--tls-cert', 'cert.pem'])).code).toBe(2);
  expect((await runHolter(folder, ['up', '--host', '0.0.0.0'])).err).toMatch(/without TLS/);
});
