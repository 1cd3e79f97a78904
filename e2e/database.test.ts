import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { bin, cleanEnvironment, type HolterProcess, startHolter } from './holter-process.ts';

let folder = '';
let holter: HolterProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-database-'));
});
afterEach(async () => {
  await holter?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const start = async (...args: readonly string[]): Promise<HolterProcess> => {
  holter = await startHolter(folder, ['--port', '0', ...args]);
  return holter;
};
const database = (): string => join(folder, 'data', 'holter.db');
const command = (...args: readonly string[]) =>
  spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: cleanEnvironment(folder),
    encoding: 'utf8',
    timeout: 30_000,
  });
const registered = async ({ url, token }: HolterProcess, agentId: string): Promise<number> => {
  const response = await fetch(`${url}/v1/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token('enroll')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agentId, instanceId: '1', promises: { beatEverySeconds: 60 } }),
  });
  return response.status;
};
const health = async ({ url }: HolterProcess) => {
  const response = await fetch(`${url}/health`);
  return { code: response.status, ...((await response.json()) as { storeReason: string | null }) };
};

describe('a database that was exchanged', () => {
  it('is refused at the start with the way out, not touched, and taken when it was meant', async () => {
    const first = await start();
    expect(await registered(first, 'ada')).toBe(201);
    expect(command('db', 'backup', 'backup.db').status).toBe(0);
    await first.end('SIGTERM');
    const second = await start();
    expect(await registered(second, 'bob')).toBe(201);
    await second.end('SIGKILL');

    copyFileSync(join(folder, 'backup.db'), database());
    const before = readFileSync(database());
    const refused = command('up', '--port', '0');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("can't be used (exchanged): it is an older copy");
    expect(refused.stderr).toContain(
      'next: put the newest one back, or go on from this one: holter up --accept-restored',
    );
    const checked = command('db', 'check');
    expect([checked.status, checked.stderr]).toEqual([3, expect.stringContaining('it is an older copy')]);
    expect(readFileSync(database()).equals(before)).toBe(true);

    const third = await start('--accept-restored');
    expect(await registered(third, 'bob')).toBe(201);
    await third.end('SIGTERM');
    await (await start()).end('SIGTERM');
  });

  it('is noticed while the server runs, which says so and writes nothing more', async () => {
    const server = await start();
    expect(await registered(server, 'ada')).toBe(201);
    // Wait for a seal: before it, most of the database is in the write-ahead log.
    await until('it has some length', () => statSync(database()).size > 40_000);
    truncateSync(database(), 20_000);
    const found = await until(
      'it is noticed',
      async () => {
        const now = await health(server);
        return now.code === 503 ? now : null;
      },
      60_000,
    );
    expect(found.storeReason).toMatch(/^corrupt: .*restore a backup/);
    const before = readFileSync(database());
    expect(await registered(server, 'bob')).toBe(503);
    expect(readFileSync(database()).equals(before)).toBe(true);
    await server.end('SIGTERM');
    const refused = command('up', '--port', '0');
    expect(refused.stderr).toMatch(/can't be used \(corrupt\)[^\n]*\n {2}next: restore the newest backup/);
  });
});

it('/health is not ok as soon as a write was refused, whoever asked for it', async () => {
  const server = await start();
  const other = new Database(database());
  other.exec('begin immediate');
  const response = await fetch(`${server.url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token('operator')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'viewer' }),
  });
  expect(response.status).toBe(503);
  expect(await health(server)).toMatchObject({ code: 503, storeReason: expect.stringMatching(/^locked: /) });
  other.exec('rollback');
  other.close();
  await until('it is well again', async () => (await health(server)).code === 200, 20_000);
});

it.each([20, 64, 200])('a start that may open %i files is one sentence', (files) => {
  const words = `ulimit -n ${files}; exec "$0" "$1" up --port 0`;
  const { status, stderr } = spawnSync('sh', ['-c', words, process.execPath, bin], {
    cwd: folder,
    env: cleanEnvironment(folder),
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(status).toBe(1);
  expect(stderr).toBe(
    'holter: the system lets Holter open too few files; allow it at least 1024: ulimit -n 1024\n',
  );
});
