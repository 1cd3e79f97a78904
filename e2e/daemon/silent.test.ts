import type { DataFolder } from '@holter/server/process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChainBook } from '../../packages/holter/src/daemon/chain-book.ts';
import { Reporter } from '../../packages/holter/src/daemon/reporter.ts';
import { startHttp, type TestServer } from '../../packages/server/test/http/kit.ts';

const TICK_SECONDS = 10;

let server: TestServer;
beforeAll(async () => {
  server = await startHttp();
});
afterAll(() => server.stop());

const findings = async (): Promise<readonly string[]> => {
  const { agents } = await server.operator.agents({ group: 'chain' });
  return agents.flatMap(({ agentId, findings: found }) => found.map(({ kind }) => `${agentId}: ${kind}`));
};

it('the server notices a daemon that no longer reports its ticks', async () => {
  const folder = {
    readServer: () => ({ url: server.url }),
    readToken: () => server.tokens.operator,
  } as unknown as DataFolder;
  const book = { unreported: async () => [], noteReported: async () => undefined } as unknown as ChainBook;
  const reporter = new Reporter({ folder, instanceId: 'a', tickMs: TICK_SECONDS * 1_000 });
  for (let n = 0; n < 3; n++) {
    await reporter.report(book);
    await server.pass(TICK_SECONDS);
  }
  expect(await findings()).toEqual([]);
  await server.pass(6 * TICK_SECONDS);
  expect(await findings()).toContain('daemon: missed-heartbeats');
});
