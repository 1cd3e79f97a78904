import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@holter/server';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { until } from '../packages/server/test/until.ts';
import { startPostgres, type TestPostgres } from '../tests/postgres/start.ts';
import { type HolterProcess, startHolter } from './holter-process.ts';

describe.skipIf(inject('postgres') === null)('two servers over one PostgreSQL', () => {
  const folders = ['one', 'two'].map((name) => mkdtempSync(join(tmpdir(), `holter-${name}-`)));
  let postgres: TestPostgres;
  let one: HolterProcess;
  let two: HolterProcess;

  beforeAll(async () => {
    const started = await startPostgres({ isDurable: true });
    if (!started) throw new Error('PostgreSQL is gone');
    postgres = started;
    const args = ['--port', '0', '--database', postgres.url()];
    [one, two] = (await Promise.all(folders.map((folder) => startHolter(folder, args)))) as [
      HolterProcess,
      HolterProcess,
    ];
  }, 60_000);
  afterAll(async () => {
    await Promise.all([one?.end('SIGKILL'), two?.end('SIGKILL')]);
    await postgres?.dispose();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const at = ({ url }: HolterProcess, token: string) => createClient({ url, token });

  it('share agents, tokens, replies and events, and one goes on when the other is killed', async () => {
    const [first, second] = [at(one, two.token('operator')), at(two, one.token('operator'))];
    const promises = { beatEverySeconds: 5 };
    const { token } = await first.register({ agentId: 'ada', instanceId: '1', mode: 'nudge', promises });
    await at(two, token).heartbeat('ada');
    await second.nudge('ada', { reason: 'slow', message: 'look up' });
    const nudged = await until('the nudge is in a reply of the other', async () => {
      const { directives } = await at(one, token).heartbeat('ada');
      return directives.length > 0 && directives;
    });
    expect(nudged).toMatchObject([{ type: 'nudge' }]);
    const isDelivered = async () => {
      const { events } = await second.events({ agentId: 'ada', type: 'EFFECT_RECEIPT' });
      return events.length > 0;
    };
    await until('its receipt is known to both', isDelivered);

    await one.end('SIGKILL');
    await at(two, token).heartbeat('ada');
    const judged = await until(
      'its silence is noticed by the other',
      async () => {
        const { events } = await second.events({ agentId: 'ada', type: 'FINDING_RAISED' });
        return events.length > 0 && events;
      },
      40_000,
    );
    expect(judged[0]).toMatchObject({ payload: { kind: 'missed-heartbeats' } });
    const cursors = (await second.events({})).events.map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(cursors.length);
  }, 60_000);
});
