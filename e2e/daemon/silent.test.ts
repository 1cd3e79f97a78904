import { type Instant, instant } from '@holter/core';
import type { DataFolder } from '@holter/server/process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChainBook } from '../../packages/holter/src/daemon/chain-book.ts';
import { Reporter } from '../../packages/holter/src/daemon/reporter.ts';
import { startHttp, type TestServer } from '../../packages/server/test/http/kit.ts';

const TICK_SECONDS = 10;

let server: TestServer;
beforeAll(async () => {
  server = await startHttp();
  server.alerts.start();
});
afterAll(async () => {
  await server.alerts.stop();
  await server.stop();
});

const folder = {
  readServer: () => ({ url: server.url }),
  readToken: () => server.tokens.operator,
} as unknown as DataFolder;

const findings = async (): Promise<readonly string[]> => {
  const { agents } = await server.operator.agents({ group: 'chain' });
  return agents.flatMap(({ agentId, findings: found }) => found.map(({ kind }) => `${agentId}: ${kind}`));
};

const troubles = async (): Promise<readonly string[]> =>
  (await server.operator.health()).troubles.map(({ kind, name }) => `${kind} ${name}`);

it('the server notices a daemon that no longer reports its ticks', async () => {
  const book = { unreported: async () => [], noteReported: async () => undefined } as unknown as ChainBook;
  const reporter = new Reporter({ folder, instanceId: 'a', tickMs: TICK_SECONDS * 1_000 });
  for (let n = 0; n < 3; n++) {
    await reporter.report(book);
    await server.pass(TICK_SECONDS);
  }
  expect(await findings()).toEqual([]);
  expect(await troubles()).toEqual([]);
  await server.pass(6 * TICK_SECONDS);
  expect(await findings()).toContain('daemon: missed-heartbeats');
  // By these it is told: the outside ping, the metric and the alert `holter_unwell`.
  expect(await troubles()).toEqual(['chain daemon']);
  await reporter.report(book);
  await server.pass(1);
  expect(await troubles()).toEqual([]);
  // It ends on purpose.
  await reporter.leave();
  await server.pass(10 * TICK_SECONDS);
  expect(await troubles()).toEqual([]);
});

it('the server says that the chain needs a person for a link, and that it does not any more', async () => {
  const at = instant(server.clock.now());
  const about = { agentId: 'deacon', incarnation: 1, incidentId: 'deacon/1' };
  const opened = {
    type: 'INCIDENT_OPENED',
    payload: { ...about, cause: 'process-gone', step: 'recover' },
    at,
  };
  const closed = { type: 'INCIDENT_CLOSED', payload: { ...about, reason: 'it has stayed up' }, at };
  let [events, latchedAt]: [object[], Instant | undefined] = [[opened], undefined];
  const book = {
    unreported: async () => events.map((event, cursor) => ({ agentId: 'deacon', event, cursor })),
    noteReported: async () => undefined,
    link: () => ({ budget: { latchedAt } }),
  } as unknown as ChainBook;
  const reporter = new Reporter({ folder, instanceId: 'b', tickMs: TICK_SECONDS * 1_000 });
  await reporter.report(book);
  await server.pass(1);
  expect(await troubles()).toEqual([]);
  latchedAt = at;
  events = [{ ...opened, at: instant(at + 1) }];
  await reporter.report(book);
  await server.pass(1);
  expect(await troubles()).toEqual(['chain daemon:deacon']);
  events = [{ ...closed, at: instant(at + 2) }];
  await reporter.report(book);
  await server.pass(1);
  expect(await troubles()).toEqual([]);
});
