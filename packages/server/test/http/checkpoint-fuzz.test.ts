import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutated } from '../hostile-json.ts';
import { startHttp, type TestServer } from './kit.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startHttp({ quotas: { agentRequestsPerSecond: 10_000, requestsPerSecond: 10_000 } });
  const { client, tokens } = server;
  token = (await client(tokens.enroll).register({ agentId: 'ada', instanceId: 'i', taskId: 'T-1' })).token;
});
afterAll(() => server.stop());

const post = (raw: string, path = 'checkpoints') =>
  server.call('POST', `/v1/agents/ada/${path}`, { token, raw });

const hash = 'ab'.repeat(32);
const content = { step: 3, files: ['a.ts', { path: 'b.ts', lines: [1, 2] }], note: 'half done', left: null };
const written = { checkpointId: 'c1', parentId: null, taskId: 'T-1', content };
const told = { kind: 'checkpoint', checkpointId: 'c1', parentId: 'c0', hash };

test('no checkpoint is answered with an error of the server, and the chain stays readable', async () => {
  const body = fc.oneof(
    mutated(written).map((value) => [value, 'checkpoints'] as const),
    mutated({ content }).map((value) => [value, 'checkpoints'] as const),
    mutated({ ...written, hash }).map((value) => [value, 'checkpoints'] as const),
    mutated(told).map((value) => [value, 'signals'] as const),
  );
  await fc.assert(
    fc.asyncProperty(body, async ([value, path]) => {
      const { status } = await post(JSON.stringify(value), path);
      expect([200, 201, 400, 409, 413, 422]).toContain(status);
    }),
    { seed: 1, numRuns: 200 },
  );
  expect((await server.call('GET', '/health')).json).toMatchObject({ status: 'ok' });
  const { checkpoints, usable } = await server.operator.checkpoints('ada', 100);
  expect(checkpoints.length).toBeGreaterThan(10);
  expect(checkpoints.filter(({ isValid }) => !isValid)).toEqual([]);
  expect((await post(JSON.stringify({ checkpointId: 'last', content }))).status).toBe(201);
  expect(usable === null || checkpoints.some(({ checkpointId }) => checkpointId === usable)).toBe(true);
  expect((await server.operator.checkpoints('ada')).usable).toBe('last');
});

const list = <T>(length: number, item: T): T[] => new Array<T>(length).fill(item);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${(n * 7_919) % count}`, n]));
const deep = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

test.each<[what: string, content: () => unknown, statuses: readonly number[]]>([
  ['one text of 3.9 MB', () => 'x'.repeat(3_900_000), [201]],
  ['escapes', () => '\u0001"\\'.repeat(300_000), [201]],
  ['many keys, out of order', () => keys(95_000), [201]],
  ['too many keys', () => keys(190_000), [413]],
  ['a long list of small values', () => list(190_000, 1), [201]],
  ['two million numbers', () => list(2_000_000, 1), [413]],
  ['a million empty objects', () => list(1_000_000, {}), [413]],
  ['thirty levels', () => deep(30), [201]],
  ['a thousand levels', () => deep(1_000), [400, 413]],
])('%s costs little time', async (_what, make, statuses) => {
  const raw = JSON.stringify({ content: make() });
  const before = process.cpuUsage();
  const { status } = await post(raw);
  const { user, system } = process.cpuUsage(before);
  expect(statuses).toContain(status);
  // Of this process, which is also the client.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});
