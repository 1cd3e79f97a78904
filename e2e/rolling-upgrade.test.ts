import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  const otherVersion = pathToFileURL(join(root, 'e2e', 'other-version.mjs')).href;
  const as = (which: 'previous' | 'next') => ({ NODE_OPTIONS: `--import ${otherVersion}?${which}` });
  const OLD = RECORD_VERSION - 1;
  const NEXT = RECORD_VERSION + 1;
  let old: HolterProcess;
  let next: HolterProcess;

  beforeAll(async () => {
    await database.make();
    next = await startHolter(folders.next, args, as('next'));
  });
  afterAll(async () => {
    await Promise.all([old?.end('SIGKILL'), next?.end('SIGKILL')]);
    await database.drop();
    for (const each of Object.values(folders)) rmSync(each, { recursive: true, force: true });
  });

  const operator = ({ url }: HolterProcess) => createClient({ url, token: next.token('operator') });

  /** The stored version of its record, the phase in it, and the cause of its incident. */
  async function stored(agentId: string): Promise<readonly unknown[]> {
    const [row] = await database.run(`select record_version, hard from agents where agent_id = '${agentId}'`);
    const { phase, incident } = JSON.parse(String(row?.hard));
    return [row?.record_version, phase, incident?.cause];
  }

  const register = (agentId: string) =>
    operator(next).register({ agentId, instanceId: '1', mode: 'nudge', promises: { beatEverySeconds: 60 } });

  it('the older one leaves newer records alone, and from then on both write what both can read', async () => {
    await register('ada');
    await operator(next).heartbeat('ada', { incarnation: 1, phase: 'TESTING' });
    expect(await stored('ada')).toEqual([NEXT, 'TESTING', undefined]);

    old = await startHolter(folders.old, args, as('previous'));
    await expect(operator(old).heartbeat('ada', { incarnation: 1 })).rejects.toMatchObject({
      status: 503,
      code: 'newer_record',
    });
    const says = `The record of 1 agent is of a newer version (${NEXT}, this server knows ${OLD})`;
    expect(old.log()).toContain(says);
    await until('it says so in its list of troubles', async () =>
      (await (await fetch(`${old.url}/health`)).text()).includes(says),
    );
    expect(await stored('ada')).toEqual([NEXT, 'TESTING', undefined]);

    let number = 0;
    await until('the newer one writes for the older one', async () => {
      await operator(next).heartbeat('ada', { incarnation: 1, phase: `WRITING ${++number}` });
      return (await stored('ada'))[0] === OLD;
    });
    expect(await stored('ada')).toEqual([OLD, `writing ${number}`, undefined]);
    await operator(next).emitTicket(ticketAbout('ada'));
    expect(await stored('ada')).toEqual([OLD, `writing ${number}`, 'blocker']);
    await operator(old).heartbeat('ada', { incarnation: 1, phase: 'READING' });
    expect(await stored('ada')).toEqual([OLD, 'READING', 'blocker']);

    await next.end('SIGKILL');
    await operator(old).heartbeat('ada', { incarnation: 1, phase: 'ALONE' });
    expect(await stored('ada')).toEqual([OLD, 'ALONE', 'blocker']);
  });

  it('the older one refuses to start where it could judge nothing', async () => {
    await database.run(
      `insert into fleet values (1, 1, '{}', ${NEXT})
       on conflict (id) do update set record_version = excluded.record_version`,
    );
    const refused = await runHolter(folders.next, ['up', ...args]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`(record ${NEXT}, this one knows ${RECORD_VERSION}): update Holter`);
  });
});

const ticketAbout = (agentId: string): object => ({
  worker_agent_id: agentId,
  worker_session_id: 's',
  worker_node_id: 'n',
  worker_graph_id: 'g',
  severity: 'critical',
  cause: 'It goes in circles.',
  judge_reasoning: 'Its last three results are equal.',
  suggested_action: 'Look at it.',
  recent_verdicts: ['RETRY'],
  total_steps_checked: 20,
  steps_since_last_accept: 20,
  stall_minutes: null,
  evidence_snippet: '',
});
