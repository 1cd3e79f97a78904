import { later } from '@holter/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHttp, stillClock, type TestServer } from '../kit.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startHttp({
    clock: stillClock(),
    quotas: { agentRequestsPerSecond: 10_000, requestsPerSecond: 10_000 },
  });
});
afterEach(() => server.stop());

const enroll = async (
  agentId: string,
  group: string,
  promises: object,
  instanceId = 'i',
): Promise<string> => {
  const body = { agentId, instanceId, group, promises };
  const reply = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body });
  return String(reply.json.token);
};

const say = (agentId: string, token: string, signal: object) =>
  server.call('POST', `/v1/agents/${agentId}/signals`, { token, body: signal });

const isBraked = async (group: string): Promise<boolean> =>
  ((await server.call('GET', '/health')).json.brakes as string[]).includes(group);

const events = async (type: string): Promise<readonly { payload: Record<string, unknown> }[]> =>
  (await server.operator.events({ type })).events as never;

/** Six fake agents that are lost as soon as they may be, under the same names again and again. */
async function brake(round: number, beatSeconds: number): Promise<void> {
  for (let fake = 0; fake < 6; fake++)
    await enroll(`fake-${fake}`, 'crew', { beatEverySeconds: beatSeconds }, `${round}`);
}

test('fake agents that were never heard brake no group', async () => {
  await enroll('ada', 'crew', { beatEverySeconds: 3_600 });
  for (let round = 0; round < 3; round++) {
    await brake(round, 0.1);
    await server.pass(54);
    expect(await isBraked('crew')).toBe(false);
  }
  expect(await events('LIVENESS_CHANGED')).not.toEqual([]);
  expect(await events('MASS_FAILURE')).toEqual([]);
});

test('an order of a person passes the brake of its group', async () => {
  const can = ['nudge', 'terminate', 'spawn'];
  for (let lost = 0; lost < 6; lost++)
    await server.operator.register({
      agentId: `lost-${lost}`,
      instanceId: 'i',
      group: 'crew',
      mode: 'act',
      can: can as never,
      executor: 'host',
      promises: { process: true },
    });
  for (let lost = 0; lost < 6; lost++)
    await say(`lost-${lost}`, server.tokens.operator, { kind: 'exited', incarnation: 1, code: 1 });
  expect(await isBraked('crew')).toBe(true);
  const detail = 'under way';
  server.engine.addExecutor({
    name: 'host',
    id: 'host',
    kinds: new Set(['spawn'] as const),
    act: async () => ({ kind: 'underway', checkAgainAt: later(server.clock.now(), 60_000), detail }),
  });
  await server.operator.recover('lost-0', { reason: 'it is needed now' });
  const { effects } = (
    await server.call('GET', '/v1/agents/lost-0/effects', { token: server.tokens.operator })
  ).json as { effects: { kind: string }[] };
  expect(effects.map(({ kind }) => kind)).toContain('spawn');
});

/** The same call with the same result, until it is called a loop. */
async function loop(agentId: string, token: string): Promise<void> {
  const call = { agentId, tool: 'Bash', input: { command: 'npm test' } };
  const lines = Array.from({ length: 6 }, (_, repeat) => `${agentId}-${repeat}`).flatMap((callId) => [
    { kind: 'call-begun', callId, ...call },
    { kind: 'call-ended', callId, ...call, isError: true, output: 'no' },
  ]);
  const raw = lines.map((line) => JSON.stringify(line)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  await server.call('POST', '/v1/signals', { token, raw, headers });
}

test('a hundred fake loopers leave other groups their nudges', async () => {
  const calls = { calls: true, tasks: true };
  const ada = await enroll('ada', 'crew', { ...calls, beatEverySeconds: 60 });
  for (let minute = 0; minute < 6; minute++) {
    await say('ada', ada, { kind: 'heartbeat' });
    await server.pass(60);
  }
  const fakes = Array.from({ length: 100 }, (_, fake) => `fake-${fake}`);
  await Promise.all(
    fakes.map(async (name, index) => loop(name, await enroll(name, `group-${index % 20}`, calls))),
  );
  const nudged = async (): Promise<readonly string[]> =>
    (await server.store.listEffects({ limit: 500 })).flatMap(({ effect }) =>
      effect.kind === 'nudge' ? effect.agentId : [],
    );
  expect(await nudged(), 'what is common is used up').toHaveLength(60);
  await loop('ada', ada);
  expect(await nudged()).toContain('ada');
});
