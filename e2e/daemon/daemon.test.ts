import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@holter/server/local';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { cleanEnvironment, runHolter } from '../holter-process.ts';
import { isThere } from '../run/kit.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), 'quick-daemon.mjs');
/** The daemon's own: it passes when the test says so. */
const TICK_MS = 60_000;
/** Two are enough, unless the machine is so busy that a look comes late. */
const TICKS_MAX = 6;
const SETTINGS = {
  tickMs: TICK_MS,
  limits: {
    backoffMs: 10_000,
    backoffMsMax: 10_000,
    loopCrashes: 5,
    loopMs: 3_600_000,
    probeEveryMs: TICK_MS / 2,
  },
};

let folder: string;
let daemons: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holter-daemon-'));
});
afterEach(async () => {
  for (const daemon of daemons) await end(daemon);
  daemons = [];
  const server = read('data/server.json');
  if (server) {
    process.kill(server.pid, 'SIGKILL');
    await until('the server has ended', () => !isThere(server.pid));
  }
  rmSync(folder, { recursive: true, force: true });
});

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const gone = new Promise((resolve) => daemon.once('exit', resolve));
  daemon.kill('SIGKILL');
  await gone;
}

const start = (more: object = {}): ChildProcess => {
  const daemon = spawn(process.execPath, [script, JSON.stringify({ settings: SETTINGS, ...more })], {
    env: cleanEnvironment(folder),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  daemons.push(daemon);
  return daemon;
};

/** A file of JSON, or null while it is not there. */
const read = (name: string) => {
  const path = join(folder, name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
};
const log = (): string => {
  const path = join(folder, 'town/daemon/daemon.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const ticks = (): number => read('town/daemon/state.json')?.ticks ?? 0;
const serverPid = (): number | null => read('data/server.json')?.pid ?? null;

/** Lets time pass and waits for the tick that is due then. */
async function afterTick(daemon: ChildProcess, passedMs = TICK_MS): Promise<void> {
  const from = ticks();
  daemon.stdin?.write(`${passedMs}\n`);
  await until('the next tick', () => ticks() > from, 60_000);
}

/** Minutes pass for the daemon while the server has a moment: it must not look as if it stood still. */
async function serverTicks(): Promise<void> {
  const tick = async (): Promise<number> => {
    const answer = await fetch(`${read('data/server.json').url}/health`);
    return ((await answer.json()) as { lastTickAt: number }).lastTickAt;
  };
  const before = await tick();
  await until('the server ticks', async () => (await tick()) > before, 30_000);
}

it('replaces a frozen server, unless it was suspended itself, and hands the incident in', async () => {
  const daemon = start();
  await until('the daemon has started the server and looked at it', () => ticks() > 0, 90_000);
  const first = serverPid() ?? 0;
  const second = await runHolter(folder, ['daemon', '--town', join(folder, 'town')]);
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`(pid ${daemon.pid})`) });

  // The daemon was suspended as well, as by a laptop: a server that stood still meanwhile is left alone.
  await afterTick(daemon);
  process.kill(first, 'SIGSTOP');
  await afterTick(daemon, 10 * TICK_MS);
  expect(log()).toContain('the daemon itself did not run for a while');
  expect(serverPid()).toBe(first);
  process.kill(first, 'SIGCONT');
  await serverTicks();
  await afterTick(daemon);
  expect(read('town/daemon/state.json').links.server).toMatchObject({ state: 'running', incident: null });

  await serverTicks();
  process.kill(first, 'SIGSTOP');
  for (let n = 0; n < TICKS_MAX && serverPid() === first; n++) await afterTick(daemon);
  expect(serverPid()).not.toBe(first);
  expect(isThere(first)).toBe(false);
  expect(log()).toContain('server: its process is stopped (SIGSTOP) and has used no CPU time');

  const token = readFileSync(join(folder, 'data/operator.token'), 'utf8').trim();
  const seen = async () => {
    const client = createClient({ url: read('data/server.json').url, token, timeoutMs: 10_000 });
    const { agents } = await client.agents({ group: 'chain' });
    return agents
      .map(({ agentId }) => agentId)
      .sort()
      .join(' ');
  };
  for (let n = 0; n < TICKS_MAX && (await seen()) !== 'daemon daemon:server'; n++) await afterTick(daemon);
  expect(await seen()).toBe('daemon daemon:server');

  // Its supervisor starts it again, and it goes on where it was.
  await end(daemon);
  const { pid } = start();
  const state = await until(
    'the next daemon ticks',
    () => {
      const found = read('town/daemon/state.json');
      return found.pid === pid && found;
    },
    60_000,
  );
  expect(state.links.server.incident).toBe('server/1');
});

it('latches a server that crashes again and again, and probes it', async () => {
  const count = () =>
    existsSync(join(folder, 'starts')) ? readFileSync(join(folder, 'starts'), 'utf8').length / 2 : 0;
  const daemon = start({ startCommand: `cd ${folder}; echo x >> starts; exit 1` });
  await until('it has ticked', () => ticks() > 0, 60_000);
  for (let n = 0; n < 20 && !log().includes('crash loop: 5 crashes'); n++) await afterTick(daemon);
  const latched = count();
  await afterTick(daemon);
  await afterTick(daemon);
  expect(count()).toBeGreaterThan(latched);
  expect(log().match(/crash loop/g)).toHaveLength(1);
});

it("tells people through the operator's channels and the outside ping while the server is down, once", async () => {
  const heard: string[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    heard.push(`${request.url} ${body}`);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  mkdirSync(join(folder, 'holter'));
  writeFileSync(
    join(folder, 'holter/holter.yaml'),
    `channels: { ops: { type: webhook, url: '${url}/ops' } }\ndead_man_ping: { url: '${url}/ping' }\n`,
  );
  const daemon = start({ startCommand: 'exit 1' });
  await until('it has ticked', () => ticks() > 0, 60_000);
  for (let n = 0; n < 20 && heard.length < 2; n++) await afterTick(daemon);
  expect([...heard].sort()).toEqual([
    expect.stringMatching(/^\/ops .*server: crash loop: 5 crashes/),
    expect.stringMatching(/^\/ping\/fail server: crash loop: 5 crashes/),
  ]);
  for (let n = 0; n < 3; n++) await afterTick(daemon);
  expect(heard).toHaveLength(2);
  receiver.closeAllConnections();
  receiver.close();
});

it('feeds the watchdog of its service manager, and keeps its address from what it starts', async () => {
  const program = (name: string, script: string): void =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  mkdirSync(join(folder, 'bin'));
  program('systemd-notify', `echo "$NOTIFY_SOCKET $1" >> ${folder}/notified`);
  program('tmux', `env >> ${folder}/tmux-env; exit 1`);
  const more = { NOTIFY_SOCKET: '/run/notify', PATH: `${folder}/bin:${process.env.PATH}` };
  const { code } = await runHolter(folder, ['daemon', '--once', '--town', join(folder, 'town')], more);
  expect(code).toBe(0);
  const notified = readFileSync(join(folder, 'notified'), 'utf8').trimEnd().split('\n');
  expect(notified.sort()).toEqual(
    ['READY=1', 'STOPPING=1', 'WATCHDOG=1'].map((word) => `/run/notify ${word}`),
  );
  const passedOn = readFileSync(join(folder, 'tmux-env'), 'utf8');
  expect(passedOn).toContain('HOLTER_DATA=');
  expect(passedOn).not.toContain('NOTIFY_SOCKET');
});

it('does nothing while a person has stopped its acts, and says so', async () => {
  mkdirSync(join(folder, 'data'));
  const stopped = await runHolter(folder, ['estop', '--reason', 'a drill']);
  expect(stopped).toMatchObject({ code: 0, out: expect.stringContaining('holter estop --off') });
  const daemon = start({ startCommand: `cd ${folder}; echo x >> starts; exit 1` });
  await until('it has ticked', () => ticks() > 0, 60_000);
  for (let n = 0; n < 3; n++) await afterTick(daemon);
  expect(existsSync(join(folder, 'starts'))).toBe(false);
  expect(log()).toContain('acts are stopped by');
  expect(read('town/daemon/state.json').links.server).toMatchObject({ state: 'gone', incident: 'server/1' });
});

it('goes on when an agent has put folders in place of its files', async () => {
  for (const name of ['state.json', 'daemon.pid'])
    mkdirSync(join(folder, 'town/daemon', name), { recursive: true });
  const daemon = start();
  const state = join(folder, 'town/daemon/state.json');
  const complaint = `${state} is not written: it is a directory`;
  await until('it is said', () => log().includes(complaint), 90_000);
  expect(log()).toContain('daemon.pid is not written: it is a directory');
  const looks = () => log().split('the daemon itself did not run').length;
  const before = looks();
  daemon.stdin?.write(`${10 * TICK_MS}\n`);
  await until('another tick', () => looks() > before, 60_000);
  rmdirSync(state);
  await afterTick(daemon);
  expect(ticks()).toBeGreaterThan(2);
  expect(log().split(complaint)).toHaveLength(2);
  expect(daemon.exitCode).toBeNull();
});
