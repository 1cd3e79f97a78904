import { RECORD_VERSION } from '@holter/core';
import { afterAll, describe, expect, it } from 'vitest';
import { hasPostgres, TempPostgres } from '../../src/store/contract/temp-postgres.ts';
import { startHttp } from './kit.ts';

describe.skipIf(!hasPostgres())('a record of a newer server', () => {
  const database = new TempPostgres();
  const newer = RECORD_VERSION + 1;
  afterAll(() => database.dispose());

  it('is left to servers that can read it, and the other agents are looked after', async () => {
    const server = await startHttp({ store: await database.fresh(), isShared: true });
    const more = { promises: { beatEverySeconds: 10 }, mode: 'act' } as const;
    for (const agentId of ['ada', 'bob'])
      await server.operator.register({ agentId, instanceId: '1', ...more });
    await server.stop();
    await database.run(`update agents set record_version = ${newer} where agent_id = 'ada'`);
    const next = await startHttp({ store: await database.reopen(), isShared: true, tokens: server.tokens });
    await expect(next.operator.heartbeat('ada', { incarnation: 1 })).rejects.toMatchObject({
      status: 503,
      code: 'newer_record',
    });
    await next.pass(60);
    const silent = (await next.operator.events({ type: 'LIVENESS_CHANGED' })).events;
    expect(silent.map(({ agentId }) => agentId)).toEqual(['bob']);
    expect(await database.run("select record_version from agents where agent_id = 'ada'")).toEqual([
      { record_version: newer },
    ]);
    await next.stop();
  });
});
