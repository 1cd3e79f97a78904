import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@holter/server/local';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { cleanEnvironment, runHolter } from '../holter-process.ts';
import { isThere } from '../run/kit.ts';

const script = join(dirname(fileURLToPath(import.meta.url)), 'quick-daemon.mjs');
/** Times of seconds instead of minutes; a crash loop is judged over an hour, so that no load makes it too slow. */
const TICK_MS = 2_000;
const SETTINGS = {
  tickMs: TICK_MS,
  limits: { backoffMs: 50, backoffMsMax: 200, loopCrashes: 5, loopMs: 3_600_000, probeEveryMs: 500 },
};

/** Where no freeze is to be proven. */
const QUICK = { ...SETTINGS, tickMs: 300 };

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
    stdio: 'ignore',
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

async function afterTicks(count: number): Promise<void> {
  const from = ticks();
  await until(`${count} more ticks`, () => ticks() >= from + count, 60_000);
}

async function upAndRunning(): Promise<ChildProcess> {
  const daemon = start();
  await until(
    'the daemon has started the server and looked at it',
    () => serverPid() !== null && ticks() >= 2,
    60_000,
  );
  return daemon;
}

it('replaces a frozen server, unless it was suspended itself, and hands the incident in', async () => {
  const daemon = await upAndRunning();
  const second = await runHolter(folder, ['daemon', '--town', join(folder, 'town')]);
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`(pid ${daemon.pid})`) });

  // Both were suspended, as by a laptop: nothing is done about a server that stood still as long as the daemon.
  const first = serverPid() ?? 0;
  process.kill(first, 'SIGSTOP');
  daemon.kill('SIGSTOP');
  const suspendedAt = Date.now();
  await until('two ticks have passed', () => Date.now() > suspendedAt + 2 * TICK_MS);
  daemon.kill('SIGCONT');
  process.kill(first, 'SIGCONT');
  await until('it knows that it did not look', () => log().includes('did not run for a while'), 60_000);
  await afterTicks(1);
  expect(serverPid()).toBe(first);

  process.kill(first, 'SIGSTOP');
  await until('the frozen server is replaced', () => ![null, first].includes(serverPid()), 90_000);
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
  await until('the incidents are handed in', async () => (await seen()) === 'daemon daemon:server', 60_000);

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
  start({ settings: QUICK, startCommand: `cd ${folder}; echo x >> starts; exit 1` });
  const count = () =>
    existsSync(join(folder, 'starts')) ? readFileSync(join(folder, 'starts'), 'utf8').length / 2 : 0;
  await until('it is a crash loop', () => log().includes('crash loop: 5 crashes'), 60_000);
  const latched = count();
  await until('it is probed', () => count() > latched, 60_000);
  expect(log().match(/crash loop/g)).toHaveLength(1);
});

it('does nothing while a person has stopped its acts, and says so', async () => {
  mkdirSync(join(folder, 'data'));
  const stopped = await runHolter(folder, ['estop', '--reason', 'a drill']);
  expect(stopped).toMatchObject({ code: 0, out: expect.stringContaining('holter estop --off') });
  start({ settings: QUICK, startCommand: `cd ${folder}; echo x >> starts; exit 1` });
  await until('it has ticked', () => ticks() >= 4, 60_000);
  expect(existsSync(join(folder, 'starts'))).toBe(false);
  expect(log()).toContain('acts are stopped by');
  expect(read('town/daemon/state.json').links.server).toMatchObject({ state: 'gone', incident: 'server/1' });
});
