import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORD_VERSION } from '@holter/core';
import { createClient } from '@holter/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, TempDatabase } from '../packages/server/test/postgres-database.ts';
import { until } from '../packages/server/test/until.ts';
import { type HolterProcess, root, runHolter, startHolter } from './holter-process.ts';

describe.skipIf(!hasPostgres())('servers of two versions over one PostgreSQL', () => {
  const database = new TempDatabase();
  const folder = (name: string) => mkdtempSync(join(tmpdir(), `holter-${name}-`));
  const folders = { old: folder('old'), next: folder('next') };
  const args = ['--port', '0', '--database', database.url];
  const asNext = { NODE_OPTIONS: `--import ${join(root, 'e2e', 'next-version.mjs')}` };
  let old: HolterProcess;
  let next: HolterProcess;

  beforeAll(async () => {
    await database.make();
    next = await startHolter(folders.next, args, asNext);
  });
  afterAll(async () => {
    await Promise.all([old?.end('SIGKILL'), next?.end('SIGKILL')]);
    await database.drop();
    for (const each of Object.values(folders)) rmSync(each, { recursive: true, force: true });
  });

  const operator = ({ url }: HolterProcess) => createClient({ url, token: next.token('operator') });

  /** The stored version of its record, and the phase in it. */
  async function stored(agentId: string): Promise<readonly unknown[]> {
    const [row] = await database.run(`select record_version, hard from agents where agent_id = '${agentId}'`);
    return [row?.record_version, JSON.parse(String(row?.hard)).phase];
  }

  const register = (agentId: string) =>
    operator(next).register({ agentId, instanceId: '1', mode: 'nudge', promises: { beatEverySeconds: 60 } });

  it('the older one leaves newer records alone, and from then on both write what both can read', async () => {
    await register('ada');
    await operator(next).heartbeat('ada', { incarnation: 1, phase: 'TESTING' });
    expect(await stored('ada')).toEqual([RECORD_VERSION + 1, 'TESTING']);

    old = await startHolter(folders.old, args);
    await expect(operator(old).heartbeat('ada', { incarnation: 1 })).rejects.toMatchObject({
      status: 503,
      code: 'newer_record',
    });
    const says = `The record of 1 agent is of a newer version (${RECORD_VERSION + 1}, this server knows ${RECORD_VERSION})`;
    expect(old.log()).toContain(says);
    await until('it says so in its list of troubles', async () =>
      (await (await fetch(`${old.url}/health`)).text()).includes(says),
    );
    expect(await stored('ada')).toEqual([RECORD_VERSION + 1, 'TESTING']);

    let number = 0;
    await until('the newer one writes for the older one', async () => {
      await operator(next).heartbeat('ada', { incarnation: 1, phase: `WRITING ${++number}` });
      return (await stored('ada'))[0] === RECORD_VERSION;
    });
    expect(await stored('ada')).toEqual([RECORD_VERSION, `writing ${number}`]);
    await operator(old).heartbeat('ada', { incarnation: 1, phase: 'READING' });
    expect(await stored('ada')).toEqual([RECORD_VERSION, 'READING']);

    await next.end('SIGKILL');
    await operator(old).heartbeat('ada', { incarnation: 1, phase: 'ALONE' });
    expect(await stored('ada')).toEqual([RECORD_VERSION, 'ALONE']);
  });

  it('the older one refuses to start where it could judge nothing', async () => {
    await database.run(
      `insert into fleet values (1, 1, '{}', ${RECORD_VERSION + 1})
       on conflict (id) do update set record_version = excluded.record_version`,
    );
    const refused = await runHolter(folders.next, ['up', ...args]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      `(record ${RECORD_VERSION + 1}, this one knows ${RECORD_VERSION}): update Holter`,
    );
  });
});
