import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttp, stillClock, type TestServer } from './kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startHttp({ clock: stillClock() });
});
afterAll(() => server.stop());

const beatsCounted = async (): Promise<number> => {
  const { text } = await server.call('GET', '/metrics', { token: server.tokens.operator });
  return Number(/holter_events_total\{type="AGENT_HEARTBEAT"\} (\d+)/.exec(text)?.[1] ?? 0);
};

it('counts every beat that is accepted', async () => {
  const before = await beatsCounted();
  await server.operator.register({ agentId: 'ada', instanceId: 'i', promises: { beatEverySeconds: 60 } });
  for (let beat = 0; beat < 9; beat += 1)
    await server.operator.heartbeat('ada', { incarnation: 1, ...(beat % 3 === 0 && { phase: `p${beat}` }) });
  expect(await beatsCounted()).toBe(before + 9);
});

it('knows no tokens and no cost before some were reported', async () => {
  await server.operator.register({ agentId: 'tom', instanceId: 'i' });
  await server.operator.heartbeat('tom', { incarnation: 1 });
  expect(await server.operator.agent('tom')).toMatchObject({ tokens: null, costUsd: null });
  await server.operator.heartbeat('tom', { incarnation: 1, token_count: 1_200 });
  expect(await server.operator.agent('tom')).toMatchObject({ tokens: 1_200, costUsd: null });
});

it('shows what was inferred apart from what was promised, and warns by it', async () => {
  await server.operator.register({ agentId: 'bob', instanceId: 'i' });
  expect(await server.operator.agent('bob')).toMatchObject({ promises: {}, inferred: [] });
  await server.operator.heartbeat('bob', { incarnation: 1 });
  await server.operator.signal('bob', { kind: 'task-assigned', taskId: 't1', incarnation: 1 });
  expect((await server.operator.agent('bob')).inferred).toMatchObject([
    { promise: 'beats', everySeconds: 10, from: 'its role, default' },
    { promise: 'tasks', everySeconds: null, from: 'its first task' },
  ]);
  await server.pass(23);
  expect((await server.operator.agent('bob')).findings).toMatchObject([
    { kind: 'missed-heartbeats', severity: 'warn', threshold: expect.stringContaining('inferred') },
  ]);
});

it('tells the ages in evidence as of now', async () => {
  await server.operator.register({ agentId: 'cal', instanceId: 'i', promises: { beatEverySeconds: 10 } });
  await server.operator.heartbeat('cal', { incarnation: 1 });
  await server.pass(40);
  const ages = async (): Promise<readonly string[]> => {
    const { findings, incident } = await server.operator.agent('cal');
    const { incidents } = await server.operator.incidents();
    const listed = incidents.find(({ agentId }) => agentId === 'cal');
    return [findings, incident?.findings ?? findings, listed?.findings ?? findings].map(
      (found) => /for (\d+ s)/.exec(found[0]?.evidence ?? '')?.[1] ?? '',
    );
  };
  const before = await ages();
  // Nothing is judged in between.
  server.clock.skip(30_000);
  const after = await ages();
  expect(after.map((age, i) => Number.parseInt(age, 10) - Number.parseInt(before[i] ?? '', 10))).toEqual([
    30, 30, 30,
  ]);
});

it('takes 900 s without a call as 900 s, unless a model time-out is named', async () => {
  const calls = async (agentId: string, promise: true | { modelTimeoutSeconds: number }) => {
    await server.operator.register({ agentId, instanceId: 'i', promises: { calls: promise } });
    return (await server.operator.agent(agentId)).promises.calls;
  };
  expect(await calls('dan', true)).toEqual({ modelTimeoutSeconds: 0 });
  expect(await calls('eve', { modelTimeoutSeconds: 300 })).toEqual({ modelTimeoutSeconds: 300 });
});

it('measures the clock of an agent by its beats, and judges it by when they arrive', async () => {
  const promises = { beatEverySeconds: 10 };
  await server.operator.register({ agentId: 'dee', instanceId: 'i', promises });
  expect((await server.operator.agent('dee')).clockSkewMs).toBeNull();
  const beat = (aheadMs: number) =>
    server.operator.heartbeat('dee', { incarnation: 1, timestamp: server.clock.now() + aheadMs });
  await beat(-3_600_000);
  const behind = await server.operator.agent('dee');
  expect(behind).toMatchObject({ clockSkewMs: -3_600_000, lastBeatAt: server.clock.now(), findings: [] });
  await beat(45_000);
  expect(await server.operator.agent('dee')).toMatchObject({ clockSkewMs: 45_000 });
  expect((await server.operator.system()).clockSkews).toEqual([{ agentId: 'dee', skewMs: 45_000 }]);
  // A clock an hour ahead does not make it fresh.
  await beat(3_600_000);
  await server.pass(40);
  expect((await server.operator.agent('dee')).findings).toMatchObject([{ kind: 'missed-heartbeats' }]);
});
