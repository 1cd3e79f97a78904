import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HealthView, HistoryView, SystemView } from '../../src/http/types.ts';
import { openMemory } from '../../src/store/memory/index.ts';
import { startHttp, stillClock, type TestServer } from './kit.ts';

const MINUTE = 60_000;

describe('how Holter itself is', () => {
  const store = openMemory();
  const clock = stillClock();
  let server: TestServer;
  beforeEach(async () => {
    server = await startHttp({ store: openMemory(), clock: stillClock() });
  });
  afterEach(() => server.stop());

  const read = async <T = SystemView>(path: string): Promise<T> =>
    (await server.call('GET', path, { token: server.tokens.viewer })).json as T;

  it('lists monitoring gaps, the newest first, and calls much of it bad', async () => {
    expect(await read('/v1/system')).toMatchObject({ stalls: [], brakes: [], outbox: { dead: 0 } });
    expect(await read<HealthView>('/health')).toMatchObject({ status: 'ok', graceShare: 0 });
    for (const seconds of [5, 30]) {
      server.clock.skip(seconds * 1_000);
      await server.engine.tick();
      await server.pass(120);
    }
    const { stalls } = await read('/v1/system');
    expect(stalls.map(({ lostMs }) => Math.round(lostMs / 1_000))).toEqual([30, 5]);
    expect((stalls[0]?.from ?? 0) > (stalls[1]?.to ?? 0)).toBe(true);
    // 5 s and 10 s of grace, 30 s and 60 s of it: little of an hour.
    const calm = await read<HealthView>('/health');
    expect(calm.status).toBe('ok');
    expect(calm.graceShare).toBeCloseTo(105 / 3_600, 2);
    server.clock.skip(10 * MINUTE);
    await server.engine.tick();
    await server.pass(60);
    const bad = await read<HealthView>('/health');
    expect(bad.graceShare).toBeGreaterThan(0.1);
    expect(bad.status).toBe('degraded');
  });

  it('does not call it bad that it was not running', async () => {
    await server.stop();
    server = await startHttp({ store, clock });
    await server.pass(3);
    const { tokens } = server;
    await server.stop();
    clock.skip(50 * MINUTE);
    server = await startHttp({ store, clock, tokens });
    await server.pass(3);
    const { stalls } = await read('/v1/system');
    expect(stalls.map(({ lostMs }) => Math.round(lostMs / MINUTE))).toEqual([50]);
    expect(await read<HealthView>('/health')).toMatchObject({ status: 'ok' });
  });

  it('names the braked groups, what is kept, and what waits in the outbox', async () => {
    for (let i = 0; i < 6; i += 1)
      await server.operator.register({
        agentId: `lost-${i}`,
        instanceId: `l${i}`,
        group: 'east',
        mode: 'act',
        can: ['nudge', 'terminate', 'spawn'],
        executor: 'nobody-home',
        promises: { process: true },
      });
    const first = await read('/v1/system');
    expect(first.retention.keptMs).toBe(30 * 24 * 60 * MINUTE);
    expect(first.retention.oldestEventAt).toBeLessThanOrEqual(server.clock.now());
    for (let i = 0; i < 6; i += 1)
      await server.engine.signal({ agentId: `lost-${i}`, incarnation: 1, kind: 'exited', code: 1 }, 'holter');
    await server.pass(3);
    expect((await read('/v1/system')).brakes).toMatchObject([
      { group: 'east', engagedAt: expect.any(Number) },
    ]);
    expect(await read<HealthView>('/health')).toMatchObject({ status: 'degraded', brakes: ['east'] });
  });

  it('adds up the minutes that agents spent in each state', async () => {
    for (const agentId of ['ada', 'bob'])
      await server.operator.register({ agentId, instanceId: agentId, group: 'crew', mode: 'nudge' });
    await server.pass(60);
    await server.operator.signal('bob', {
      kind: 'error',
      message: 'no disk',
      isUnrecoverable: true,
      incarnation: 1,
    });
    await server.pass(120);
    const { days } = await read<HistoryView>('/v1/history');
    const sum = (state: string) => days.reduce((all, day) => all + (day.stateMinutes[state] ?? 0), 0);
    expect(sum('FAILING')).toBeCloseTo(2, 1);
    expect(sum('HEALTHY')).toBeCloseTo(3 + 1, 1);
    expect(days.reduce((all, { incidents }) => all + incidents, 0)).toBe(1);
    expect(days.reduce((all, { escalations }) => all + escalations, 0)).toBe(1);
  });
});
