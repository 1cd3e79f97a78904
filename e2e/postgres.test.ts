import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { startPostgres, type TestPostgres } from '../tests/postgres/start.ts';
import { type HolterProcess, runHolter, startHolter } from './holter-process.ts';

const script = new URL('../scripts/postgres.mjs', import.meta.url);
const isMissing = inject('postgres') === null;

it.skipIf(isMissing)('the PostgreSQL of a run of tests ends with it, even if it is killed', async () => {
  const code = `import { startPostgres } from ${JSON.stringify(script.href)};
    const { pid, folder } = await startPostgres();
    console.log(JSON.stringify({ pid, folder }));`;
  const args = ['--input-type=module', '-e', code];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { pid, folder } = JSON.parse(line) as { readonly pid: number; readonly folder: string };
  expect([pid > 1, existsSync(folder)]).toEqual([true, true]);
  child.kill('SIGKILL');
  await expect.poll(() => [isRunning(pid), existsSync(folder)]).toEqual([false, false]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(isMissing)('a server with its data in PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-postgres-e2e-'));
  let postgres: TestPostgres;
  let holter: HolterProcess;

  beforeAll(async () => {
    const started = await startPostgres({ isDurable: true });
    if (!started) throw new Error('PostgreSQL is gone');
    postgres = started;
    holter = await startHolter(folder, ['--port', '0', '--database', postgres.url()]);
  });
  afterAll(async () => {
    await holter?.end('SIGKILL');
    await postgres?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const register = async (agentId: string): Promise<number> => {
    const response = await fetch(`${holter.url}/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${holter.token('enroll')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agentId, instanceId: '1', promises: { beatEverySeconds: 600 } }),
    });
    return response.status;
  };
  const names = async (): Promise<readonly string[]> => {
    const headers = { authorization: `Bearer ${holter.token('viewer')}` };
    const response = await fetch(`${holter.url}/v1/agents`, { headers });
    const { agents } = (await response.json()) as {
      readonly agents: readonly { readonly agentId: string }[];
    };
    return agents.map(({ agentId }) => agentId);
  };
  const health = async () => {
    const response = await fetch(`${holter.url}/health`);
    return (await response.json()) as { readonly store: string; readonly storeReason: string | null };
  };

  it('says so while PostgreSQL is away, loses nothing, and goes on when it is back', async () => {
    expect(await register('ada')).toBe(201);
    await postgres.stop('KILL');
    const away = await until('it is noticed', async () => {
      const now = await health();
      return now.store === 'ok' ? null : now;
    });
    expect(away.storeReason).toMatch(/^unreachable: PostgreSQL is not reachable/);
    expect(await register('bob')).toBe(503);
    expect(await postgres.start()).toBe(true);
    await until('it is used again', async () => (await register('bob')) === 201, 30_000);
    await until('the store counts as well', async () => (await health()).store === 'ok', 30_000);
    expect(await names()).toEqual(['ada', 'bob']);
  });

  it('is the same after the server was killed and started again', async () => {
    await holter.end('SIGKILL');
    holter = await startHolter(folder, ['--port', '0', '--database', postgres.url()]);
    expect(await names()).toEqual(['ada', 'bob']);
    expect(existsSync(join(folder, 'data', 'holter.db'))).toBe(false);
  });

  it('is known to the command line, and its password to nobody', async () => {
    const password = new URL(postgres.url()).password;
    const there = { HOLTER_DATABASE: postgres.url() };
    const check = await runHolter(folder, ['db', 'check'], there);
    expect([check.code, check.out]).toEqual([0, 'the database is sound\n']);
    const backup = await runHolter(folder, ['db', 'backup', 'copy.db'], there);
    expect([backup.code, backup.err]).toEqual([1, expect.stringContaining('pg_dump')]);
    const doctor = await runHolter(folder, ['doctor'], there);
    expect(doctor.out).toMatch(/ok +database +PostgreSQL \d+\.\d+.* at 127\.0\.0\.1:\d+\/postgres\n/);
    const wrong = postgres.url().replace(password, 'mistaken-secret');
    const refused = await runHolter(folder, ['up', '--port', '0', '--data', 'other', '--database', wrong]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/\(denied\): .*next: check the user/s),
    ]);
    const headers = { authorization: `Bearer ${holter.token('operator')}` };
    const config = await (await fetch(`${holter.url}/v1/config`, { headers })).text();
    const log = readFileSync(join(folder, 'data', 'server.log'), 'utf8');
    expect(log).toContain('the data is in PostgreSQL');
    for (const text of [config, log, doctor.out, check.out, refused.err, JSON.stringify(await health())]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain('mistaken-secret');
    }
  });
});
