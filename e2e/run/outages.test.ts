import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bin, fixture, isThere, pidsSaid, until, World } from './kit.ts';

const world = new World();
afterAll(() => world.close());
const node = process.execPath;

describe('the server is killed', () => {
  it('the run goes on, starts it again, and its child is still brought back', async () => {
    const counter = [node, fixture('counter'), 'until=120'];
    const run = world.run('--agent', 'survivor', '--checkpoint-file', 's.json', '--json', '--', ...counter);
    const pid = await until('it runs', () => pidsSaid(run.out())[0]);
    const before = world.server.pid;
    process.kill(before, 'SIGKILL');
    await until('another server is there', () => tryServer() !== before && tryServer());
    expect(isThere(pid)).toBe(true);
    await world.untilAgent('survivor', 'it is known and alive', ({ liveness }) => liveness === 'alive');
    process.kill(pid, 'SIGKILL');
    await until('its successor runs', () => /attempt 1 from \d\d/.test(run.out()));
    expect(await run.ended).toBe(0);
    expect(run.report()).toMatchObject({ how: 'done', recoveries: 1 });
  });

  it('and an exit meanwhile is told when a server is there again', async () => {
    const run = world.run('--agent', 'leaver', '--', 'sh', '-c', 'echo "pid $$"; sleep 1; exit 5');
    await until('it runs', () => pidsSaid(run.out())[0]);
    process.kill(world.server.pid, 'SIGKILL');
    expect(await run.ended).toBe(5);
    expect(await world.agent('leaver')).toMatchObject({ end: { how: 'crash', detail: 'exit code 5' } });
  });
});

describe('a server that takes nothing, as with a full disk', () => {
  const full = (taken: Record<string, object>) =>
    createServer(({ url = '' }, reply) => {
      const body = taken[url] ?? { error: { code: 'store_full', message: 'the disk is full' } };
      reply.writeHead('error' in body ? 503 : 200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(body));
    });
  const health = { '/health': { version: '0.0.1' } };
  const registered = {
    '/v1/agents': { incarnation: 1, token: 't' },
    '/v1/agents/last/checkpoints': { checkpoints: [] },
  };

  it.each([
    ['the command runs unwatched', health, "Holter can't be used, and the command runs unwatched"],
    ['the run ends', { ...health, ...registered }, 'the server does not take the report that last has ended'],
  ])('%s', async (_what, taken, words) => {
    const server = full(taken);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = world.run('--agent', 'last', '--url', url, '--', 'sh', '-c', 'exit 4');
    expect(await run.ended).toBe(4);
    expect(run.err()).toContain(`holter: ${words}: the disk is full\n`);
    server.close();
  });
});

describe('the run itself is killed', () => {
  it('the server watches its child on, a person is told, and an order still ends it', async () => {
    const script = `setsid sleep 1000 & echo "pid $!"; exec ${node} ${fixture('quiet')}`;
    const run = world.run('--agent', 'orphan', '--', 'sh', '-c', script);
    await until('both run', () => pidsSaid(run.out())[1]);
    const pids = pidsSaid(run.out());
    process.kill(run.pid, 'SIGKILL');
    const agent = await world.untilAgent('orphan', 'it is adopted', ({ findings }) => findings.length > 0);
    expect(agent).toMatchObject({ liveness: 'alive', incident: null });
    expect(agent.findings[0]?.evidence).toContain(
      'its `holter run` was killed; the server watches its process',
    );
    const { notices } = await world.ask<{ notices: { message: string }[] }>('GET', '/v1/incidents');
    expect(notices.map(({ message }) => message).join()).toContain('orphan: its `holter run` was killed');
    const twin = world.run('--agent', 'orphan', '--', 'true');
    expect(await twin.ended).toBe(1);
    await world.ask('POST', '/v1/agents/orphan/terminate', { reason: 'not needed any more' });
    await world.untilAgent('orphan', 'it is ended', ({ end }) => end?.byHolter === true);
    expect(pids.map(isThere)).toEqual([false, false]);
  });

  it('its child is ended with all its children, if that was asked for', async () => {
    const script = `setsid sleep 1000 & echo "pid $!"; exec ${node} ${fixture('quiet')}`;
    const run = world.run('--agent', 'doomed', '--on-lost', 'end', '--', 'sh', '-c', script);
    await until('both run', () => pidsSaid(run.out())[1]);
    const pids = pidsSaid(run.out());
    process.kill(run.pid, 'SIGKILL');
    await world.untilAgent('doomed', 'it is ended', ({ end }) => end?.byHolter === true);
    expect(pids.map(isThere)).toEqual([false, false]);
  });
});

it('the server in the background ends itself when it is not needed', async () => {
  const fresh = new World();
  const main = join(dirname(bin), 'run', 'main.js');
  const args = [main, 'daemon', '--data', fresh.path('data'), '--idle-seconds', '2'];
  const daemon = spawn(node, args, { env: fresh.env, stdio: 'ignore' });
  const ended = once(daemon, 'exit');
  await until('it is up', () => existsSync(fresh.path('data/server.json')));
  const run = fresh.run('--agent', 'busy', '--', 'sleep', '3');
  expect(await run.ended).toBe(0);
  expect(fresh.server.pid).toBe(daemon.pid);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(fresh.path('data/server.json'))).toBe(false);
  await fresh.close();
});

function tryServer(): number | null {
  try {
    const { pid } = world.server;
    return isThere(pid) ? pid : null;
  } catch {
    return null;
  }
}
