import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { bin, cleanEnvironment, startHolter } from './holter-process.ts';
import { isThere } from './run/kit.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-ensure-'));
});
afterEach(async () => {
  const { pid } = server();
  process.kill(pid, 'SIGTERM');
  await until('the server has ended', () => !isThere(pid));
  rmSync(folder, { recursive: true, force: true });
});

const server = (): { readonly url: string; readonly pid: number } =>
  JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8'));

const run = (more: Record<string, string> = {}): void =>
  void execFileSync(process.execPath, [bin, 'run', '--', 'true'], {
    cwd: folder,
    env: cleanEnvironment(folder, more),
  });

it('a server that is started again listens on the port of the last one', async () => {
  // Below the range from which the system takes ports for connections.
  const port = 20_000 + (process.pid % 10_000);
  const first = await startHolter(folder, ['--port', String(port)]);
  await first.end('SIGKILL');
  run();
  expect(server().url).toBe(first.url);
  expect(server().pid).not.toBe(first.pid);
});

it.skipIf(process.platform !== 'linux')(
  'a server in the background has no keys, and holds no folder of the user',
  () => {
    run({ ANTHROPIC_API_KEY: 'sk-secret', NODE_OPTIONS: '--no-warnings', HOLTER_TOKEN: 'hlt_secret' });
    const { pid } = server();
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const names = environment.filter(Boolean).map((line) => line.replace(/=.*/s, ''));
    expect(names.sort()).toEqual(['HOME', 'PATH', 'XDG_CONFIG_HOME']);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(realpathSync(join(folder, 'data')));
  },
);

it('what a command prints can be read while it runs, without secrets', async () => {
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
  const script = `echo begun; echo "key ${secret}" >&2; read line; printf 'the end'`;
  const child = spawn(process.execPath, [bin, 'run', '--agent', 'ada', '--', 'sh', '-c', script], {
    cwd: folder,
    env: cleanEnvironment(folder),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'close');
  const logs = (): string => {
    const args = [bin, 'logs', 'ada'];
    try {
      return execFileSync(process.execPath, args, {
        env: cleanEnvironment(folder),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return '';
    }
  };
  // It waits for a server that has to start first.
  const said = await until('its output is there', () => /begun[\s\S]*key .*\n/.exec(logs())?.[0], 60_000);
  expect(said).not.toContain(secret);
  child.stdin.end('\n');
  expect(await ended).toEqual([0, null]);
  expect(logs()).toMatch(/the end$/);
});
