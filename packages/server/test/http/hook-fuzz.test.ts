import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutated } from '../hostile-json.ts';
import { startHttp, type TestServer } from './kit.ts';

const bodies = readFileSync(
  fileURLToPath(new URL('../../src/adapters/claude-code/fixtures/hooks.jsonl', import.meta.url)),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Record<string, unknown>);

let server: TestServer;
beforeAll(async () => {
  const quotas = { agentRequestsPerSecond: 10_000, requestsPerSecond: 10_000 };
  server = await startHttp({ quotas, hookFailed: () => undefined });
});
afterAll(() => server.stop());

const post = (token: string, raw: string) => server.call('POST', '/hooks/claude-code', { token, raw });

test('no hook body is answered with an error of the server, and none makes an unsound record', async () => {
  const { token: hook } = await server.operator.makeToken({ role: 'hook', user: 'dev@laptop' });
  const register = { agentId: 'ada', instanceId: 'i', promises: { calls: true, turns: true } };
  const agent = await server.call('POST', '/v1/agents', { token: server.tokens.enroll, body: register });
  const tokens = [hook, server.tokens.enroll, String(agent.json.token)];
  const body = fc.constantFrom(...bodies).chain(mutated);
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(...tokens), async (value, token) => {
      expect([200, 400, 413, 429]).toContain((await post(token, JSON.stringify(value))).status);
    }),
    { seed: 1, numRuns: 300 },
  );
  expect((await server.call('GET', '/health')).json).toMatchObject({ status: 'ok' });
  const { items } = await server.store.listAgents({ limit: 10_000 });
  for (const { agent } of items) {
    expect(agent.hard.agentId).toMatch(/^[\w.@:-]{1,128}$/);
    expect(agent.hard.group).not.toBe('__proto__');
    expect(JSON.stringify(agent).length).toBeLessThan(100_000);
  }
});

const large = (fields: object): string =>
  JSON.stringify({
    session_id: 'c64a3fea-d51f-4305-9248-db9d38df8039',
    cwd: '/home/dev/shop',
    tool_name: 'Write',
    tool_use_id: 't1',
    hook_event_name: 'PreToolUse',
    ...fields,
  });
const list = <T>(length: number, item: T): T[] => new Array<T>(length).fill(item);

test.each<[what: string, body: () => string, statuses: readonly number[]]>([
  ['a file of 7 MB', () => large({ tool_input: { content: 'x'.repeat(7_000_000) } }), [200]],
  ['commas in a file', () => large({ tool_input: { content: 'a,"b",\n'.repeat(500_000) } }), [200]],
  ['two million empty objects', () => large({ tool_input: list(2_000_000, {}) }), [413]],
  ['three million numbers', () => large({ tool_input: { list: list(3_000_000, 1) } }), [413]],
  ['a long list of small values', () => large({ tool_input: list(190_000, 1) }), [200]],
  [
    'fifty thousand calls',
    () =>
      large({
        hook_event_name: 'PostToolBatch',
        tool_calls: list(50_000, { tool_use_id: 'a', tool_name: 'b' }),
      }),
    [200],
  ],
])('%s costs little time', async (_what, body, statuses) => {
  const raw = body();
  const before = process.cpuUsage();
  const { status } = await post(server.tokens.enroll, raw);
  const { user, system } = process.cpuUsage(before);
  expect(statuses).toContain(status);
  // Of this process, which is also the client. Before the limits some of these took several seconds.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});
