import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BreakerOpenError, connect } from '@holter/agent';
import { findLocalServer } from '@holter/agent/transport';
import {
  createClient,
  createLogger,
  DataFolder,
  loadConfig,
  type RunningServer,
  startServer,
} from '@holter/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fixture, run, sleep, until } from './kit.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'holter-agent-'));
let server: RunningServer;

async function start(port = 0): Promise<RunningServer> {
  const loaded = loadConfig(null);
  if (loaded.kind !== 'loaded') throw new Error('the defaults do not load');
  const logger = createLogger({ write: () => undefined, isPretty: false });
  return startServer({ dataFolder, config: loaded.config, version: '0.0.0', logger, port });
}

const tokenOf = (role: 'enroll' | 'viewer' | 'operator'): string =>
  new DataFolder(dataFolder).readToken(role) ?? '';

beforeAll(async () => {
  server = await start();
});
afterAll(async () => {
  await server.stop();
  rmSync(dataFolder, { recursive: true });
});

it('lives with a real server, also through its restart', { timeout: 40_000 }, async () => {
  const client = connect({
    agentId: 'ada',
    taskId: 'T-1',
    url: server.url,
    token: tokenOf('enroll'),
    watchdog: 'off',
    beatEveryMs: 2_000,
    promises: { calls: true, checkpoints: true },
  });
  const operator = createClient({ url: server.url, token: tokenOf('operator') });
  const search = client.tool('search', async (query: string) => `nothing about ${query}`);
  client.beat({ phase: 'searching', progress: '1' });
  client.tokens({ tokens: 1_200 });
  await search('frogs');
  expect(await client.checkpoint({ done: ['frogs'] })).toMatchObject({ kind: 'written' });
  await until(() => client.status.waiting === 0, 5_000, 'all is sent');
  const before = await operator.agent('ada');
  expect(before).toMatchObject({ state: 'HEALTHY', incarnation: 1, phase: 'searching', tokens: 1_200 });
  expect(before.task).toMatchObject({ taskId: 'T-1' });
  const { port } = new URL(server.url);
  await server.stop();
  client.taskUpdated({ percent: 50 });
  server = await start(Number(port));
  client.reportBlocker('no access to the pond');
  await until(() => client.status.waiting === 0 && client.status.state === 'connected', 20_000, 'sent again');
  const after = await operator.agent('ada');
  expect(after).toMatchObject({ incarnation: 1, task: { percent: 50 } });
  expect(after.findings.map(({ kind }) => kind)).toContain('blocker');
  expect(client.status.rejections.every(({ code }) => code === 'unreachable')).toBe(true);
  await client.close('the work is done');
  expect(await operator.agent('ada')).toMatchObject({ state: 'TERMINATED', end: { how: 'stopped' } });
});

it('finds the server of the data folder by itself, and nothing else there', async () => {
  vi.stubEnv('HOLTER_DATA', dataFolder);
  const client = connect({ agentId: 'finder', watchdog: 'off' });
  expect(await client.checkpoint({ step: 1 })).toMatchObject({ kind: 'written' });
  await client.close();
  expect(await findLocalServer(process.env)).toEqual({ url: server.url, token: tokenOf('enroll') });
  const hostile = mkdtempSync(join(tmpdir(), 'holter-hostile-'));
  execFileSync('mkfifo', [join(hostile, 'server.json')]);
  expect(await findLocalServer({ HOLTER_DATA: hostile })).toBeNull();
  rmSync(hostile, { recursive: true });
  vi.unstubAllEnvs();
});

it('opens the breaker of a tool that keeps failing', async () => {
  const client = connect({ agentId: 'bob', url: server.url, token: tokenOf('enroll'), watchdog: 'off' });
  const fail = () => Promise.reject(new Error('read-only'));
  const write = client.tool('write', fail, { breaker: 'tool_execution' });
  await until(() => client.status.state === 'connected', 5_000, 'connected');
  for (let i = 0; i < 5; i += 1) {
    await expect(write()).rejects.toThrow('read-only');
    await sleep(50);
  }
  await until(() => client.status.waiting === 0, 5_000, 'all is sent');
  await sleep(300);
  await expect(write()).rejects.toThrow(BreakerOpenError);
  await client.close();
});

it('hears of a frozen agent from its watchdog, while the agent is frozen', { timeout: 30_000 }, async () => {
  const frozen = run(fixture('freeze-connected.mjs'), [server.url, tokenOf('enroll')]);
  const operator = createClient({ url: server.url, token: tokenOf('operator') });
  let evidence = '';
  await until(
    () => {
      void operator.agent('frozen').then(
        ({ findings }) => {
          evidence = findings.map((finding) => finding.evidence).join('\n');
        },
        () => undefined,
      );
      return evidence.includes('event-loop-freeze');
    },
    20_000,
    'the server knows',
  );
  expect(evidence).toMatch(/blocked for \d\.\d s in hang \(/);
  expect(frozen.child.exitCode).toBe(null);
  frozen.child.kill('SIGKILL');
  await frozen.ended;
});

it('counts what a second start of the same agent reports', async () => {
  const operator = createClient({ url: server.url, token: tokenOf('operator') });
  const options = { agentId: 'carl', url: server.url, token: tokenOf('enroll'), watchdog: 'off' } as const;
  for (const start of [1, 2]) {
    const client = connect(options);
    for (let i = 0; i <= 3 - start; i += 1) client.tool('search', () => i)();
    client.reportBlocker(`the pond is closed, start ${start}`);
    await until(() => client.status.waiting === 0, 5_000, 'all is sent');
    const { findings } = await operator.agent('carl');
    expect(findings.map(({ evidence }) => evidence).join()).toContain(`start ${start}`);
    await client.close();
    expect(await operator.agent('carl')).toMatchObject({ incarnation: start, end: { how: 'stopped' } });
  }
});

it('is asked to stop through onStop, and its end is believed when it has closed', {
  timeout: 40_000,
}, async () => {
  const client = connect({
    ...{ agentId: 'stoppable', url: server.url, token: tokenOf('operator'), watchdog: 'off' },
    ...{ can: ['nudge', 'terminate'], beatEveryMs: 500 },
  });
  const operator = createClient({ url: server.url, token: tokenOf('operator') });
  const asked: string[] = [];
  client.onStop(({ type, message }) => {
    asked.push(`${type}: ${message}`);
    void client.close();
  });
  const look = () => operator.agent('stoppable').catch(() => null);
  await vi.waitUntil(look, { timeout: 10_000 });
  await operator.terminate('stoppable', { reason: 'enough' });
  await vi.waitUntil(async () => (await look())?.end, { timeout: 20_000 });
  expect(asked).toEqual(['stop: Holter: please save your state and stop: ordered by operator: enough']);
  expect(await look()).toMatchObject({ state: 'TERMINATED', end: { how: 'stopped', byHolter: true } });
});
