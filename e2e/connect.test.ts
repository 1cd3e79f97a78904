import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { bin, cleanEnvironment, type HolterProcess, startHolter } from './holter-process.ts';
import { isThere } from './run/kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holter-connect-'));
const project = join(folder, 'shop');
const settings = join(project, '.claude', 'settings.local.json');
let server: HolterProcess;

beforeAll(async () => {
  mkdirSync(project);
  // Below the range from which the system takes ports for connections.
  server = await startHolter(folder, ['--port', String(10_000 + (process.pid % 10_000))]);
}, 30_000);
afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function holter(...args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: project,
    env: cleanEnvironment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const tokenInSettings = (): string => /Bearer (hlt_[\w-]+)/.exec(readFileSync(settings, 'utf8'))?.[1] ?? '';

async function status(token: string, path = '/hooks/claude-code', body: object = hook): Promise<number> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}
const hook = { session_id: 'c64a3fea-d51f-4305-9248-db9d38df8039', hook_event_name: 'Stop', cwd: '/p/shop' };

it('connect writes a token that posts hooks and nothing else; removing the hooks revokes it', async () => {
  expect(await holter('connect', 'claude-code', '--dry-run')).toMatchObject({ code: 0 });
  expect((await holter('token', 'list')).said).not.toContain('hook');
  expect(await holter('connect', 'claude-code')).toMatchObject({ code: 0 });
  expect(statSync(settings).mode & 0o777).toBe(0o600);
  const token = tokenInSettings();
  expect(token).toMatch(/^hlt_hook_/);
  expect(await status(token)).toBe(200);
  expect(await status(token, '/v1/agents', { agentId: 'eve', instanceId: 'i' })).toBe(403);
  expect((await holter('token', 'list')).said).toMatch(/hook:\S+@\S+ +hook +\S+@\S+/);

  expect((await holter('connect', 'claude-code')).said).toContain('connected already');
  expect(tokenInSettings()).toBe(token);

  const removed = await holter('connect', 'claude-code', '--remove');
  expect(removed).toMatchObject({ code: 0, said: expect.stringContaining('the previous one is revoked') });
  expect(await status(token)).toBe(401);
}, 60_000);

it('what was connected with the enroll token goes on reporting, and connecting again replaces it', async () => {
  await holter('connect', 'claude-code');
  const first = tokenInSettings();
  const enroll = server.token('enroll');
  writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(first, enroll));
  expect(await status(enroll)).toBe(200);
  expect((await holter('doctor')).said).toContain('can do more than post hooks');
  expect((await holter('connect', 'claude-code')).said).toContain('could register agents');
  expect(readFileSync(settings, 'utf8')).not.toContain(enroll);
  expect(await status(tokenInSettings())).toBe(200);
  expect((await holter('doctor')).said).toMatch(/ok +claude code +connected by/);
}, 60_000);

it('a token that was revoked is replaced', async () => {
  await holter('connect', 'claude-code');
  const revoked = tokenInSettings();
  const mark = `#${createHash('sha256').update(revoked).digest('hex').slice(0, 16)}`;
  const list: { tokenId: string }[] = JSON.parse((await holter('token', 'list', '--json')).said);
  const id = list.find(({ tokenId }) => tokenId.endsWith(mark))?.tokenId ?? '';
  await holter('token', 'revoke', id);
  expect(await status(revoked)).toBe(401);
  expect(await holter('connect', 'claude-code')).toMatchObject({ code: 0 });
  expect(await status(tokenInSettings())).toBe(200);
}, 60_000);

it('a session that begins starts the server when none runs, where its hooks go', async () => {
  await holter('connect', 'claude-code');
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8'));
  const [{ command }] = hooks.SessionStart[0].hooks;
  const begin = async (): Promise<string> => {
    const env = cleanEnvironment(folder, { ANTHROPIC_API_KEY: 'sk-secret' });
    const child = spawn('sh', ['-c', command], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    expect(await once(child, 'close')).toEqual([0, null]);
    return said;
  };
  expect(await begin()).toBe('');
  expect(serverFile().pid).toBe(server.pid);
  await server.end('SIGKILL');
  expect(await begin()).toBe('');
  expect(serverFile().url).toBe(server.url);
  expect(await status(tokenInSettings())).toBe(200);
  const { pid } = serverFile();
  process.kill(pid, 'SIGTERM');
  await until('the server has ended', () => !isThere(pid));
}, 60_000);

const serverFile = (): { readonly url: string; readonly pid: number } =>
  JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8'));
