import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemTable } from '@holter/server/process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../packages/server/test/until.ts';
import { cleanEnvironment, runHolter } from '../holter-process.ts';
import { isThere } from '../run/kit.ts';

/** `npm test` has found or installed tmux; a test that is run alone expects it in the path. */
const hasTmux = process.env.HOLTER_TMUX !== '';

const script = join(dirname(fileURLToPath(import.meta.url)), 'quick-daemon.mjs');
const TICK_MS = 60_000;
const SETTINGS = {
  tickMs: TICK_MS,
  limits: {
    backoffMs: 10_000,
    backoffMsMax: 10_000,
    loopCrashes: 2,
    loopMs: 2 * TICK_MS,
    probeEveryMs: TICK_MS / 2,
  },
};
const WAIT_MS = 60_000;
const MINUTE = 60_000;
const WITNESS = 'gt-alpha-witness';

describe.runIf(hasTmux)('the whole chain, with the real tmux', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-chain-'));
  const socket = `holter-chain-${process.pid}`;
  const table = systemTable();
  let supervisor: ChildProcess;

  const path = (...names: readonly string[]): string => join(folder, 'town', ...names);
  const readText = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  /** Null while it is not there. */
  const read = (file: string) => {
    const text = readText(file);
    return text === '' ? null : JSON.parse(text);
  };
  const log = (): string => readText(path('daemon', 'daemon.log'));
  const daemonState = () => read(path('daemon', 'state.json'));
  const bootStatus = () => read(path('deacon', 'dogs', 'boot', '.boot-status.json'));
  const heartbeat = () => read(path('deacon', 'heartbeat.json'));

  /** Lets time pass, and waits for the tick that is due then. */
  async function afterTick(): Promise<void> {
    const from = daemonState().ticks;
    supervisor.stdin?.write(`${TICK_MS}\n`);
    await until('the next tick', () => daemonState().ticks > from, WAIT_MS);
  }

  /** Boot looks in a process of its own, which a tick starts and does not wait for. */
  async function untilBoot(action: string): Promise<void> {
    await afterTick();
    await until(`Boot decides: ${action}`, () => bootStatus()?.action === action, WAIT_MS);
  }

  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', socket, ...args], {
      encoding: 'utf8',
      env: cleanEnvironment(folder),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    }).trimEnd();

  /** The patrol, below the command of its pane. */
  function patrol(): number {
    const pane = Number(tmux('list-panes', '-t', '=hq-deacon:', '-F', '#{pane_pid}'));
    const [pid] = table?.childPids(pane) ?? [];
    if (pid === undefined) throw new Error('no patrol runs');
    return pid;
  }

  const beating = (before: string | null): Promise<string> =>
    until(
      'the Deacon has written its heartbeat',
      () => {
        const incarnation = heartbeat()?.incarnation;
        return incarnation !== undefined && incarnation !== before ? incarnation : null;
      },
      WAIT_MS,
    );

  /** Kills the Deacon, and waits until tmux has noticed. */
  async function killDeacon(): Promise<string> {
    const { incarnation } = heartbeat();
    const pid = patrol();
    process.kill(pid, 'SIGKILL');
    await until('its session has ended', () => !isThere(pid) && !hasSession());
    return incarnation;
  }

  const hasSession = (name = 'hq-deacon'): boolean => {
    try {
      tmux('has-session', '-t', `=${name}`);
      return true;
    } catch {
      return false;
    }
  };

  beforeAll(async () => {
    mkdirSync(join(folder, 'holter'));
    const agents = { [WITNESS]: { command: ['sleep', '1000'], group: 'alpha' } };
    const config = { town: { socket, agents } };
    writeFileSync(join(folder, 'holter', 'holter.yaml'), JSON.stringify(config));
    mkdirSync(path());
    writeFileSync(path('town.json'), JSON.stringify({ cycle_every: '1s' }));
    const command = [process.execPath, script, JSON.stringify({ settings: SETTINGS, isWhole: true })];
    // As a service manager does.
    supervisor = spawn('sh', ['-c', 'while :; do "$@"; done', 'sh', ...command], {
      env: cleanEnvironment(folder),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await until('the daemon has ticked', () => daemonState() !== null, WAIT_MS);
  });

  afterAll(async () => {
    supervisor?.kill('SIGKILL');
    const pids = [
      daemonState()?.pid,
      // Its run would start another server.
      hasSession(WITNESS) ? Number(tmux('list-panes', '-t', `=${WITNESS}:`, '-F', '#{pane_pid}')) : undefined,
      read(join(folder, 'data', 'server.json'))?.pid,
      hasSession() ? patrol() : undefined,
    ];
    for (const pid of pids) {
      if (pid === undefined || !isThere(pid)) continue;
      process.kill(pid, 'SIGKILL');
      await until('it has ended', () => !isThere(pid));
    }
    const marker = path('deacon', 'dogs', 'boot', '.boot-running');
    await until('Boot has ended', () => !existsSync(marker), WAIT_MS);
    try {
      tmux('kill-server');
    } catch {
      // It has ended with its last session.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });

  it('starts the Deacon and the witness, and leaves alone what is well', async () => {
    await beating(null);
    expect(hasSession(WITNESS)).toBe(true);
    await untilBoot('NOTHING');
    const run = Number(tmux('list-panes', '-t', `=${WITNESS}:`, '-F', '#{pane_pid}'));
    tmux('kill-session', '-t', `=${WITNESS}`);
    await until('its run has ended', () => !isThere(run), WAIT_MS);
    await afterTick();
    expect(hasSession(WITNESS)).toBe(true);
  });

  it('stale with mail: nudged; very stale: woken', async () => {
    process.kill(patrol(), 'SIGSTOP');
    const backdate = (ms: number): void => {
      const timestamp = new Date(Date.now() - ms).toISOString();
      writeFileSync(path('deacon', 'heartbeat.json'), JSON.stringify({ ...heartbeat(), timestamp }));
    };
    const question = ['mail', 'send', 'hq-deacon', '-s', 'Question', '-m', 'Are you there?'];
    expect((await runHolter(folder, question)).code).toBe(0);
    backdate(6 * MINUTE);
    await untilBoot('NUDGE');
    backdate(20 * MINUTE);
    await untilBoot('WAKE');
    expect(bootStatus()).toMatchObject({ target: 'hq-deacon', result: 'sent to its mailbox' });
  });

  it('killed: started at the next tick; again and again: latched, probed, cleared', async () => {
    const before = await killDeacon();
    await afterTick();
    const next = await beating(before);
    await killDeacon();
    await afterTick();
    expect(log()).toContain('deacon: crash loop: 2 crashes');
    expect(hasSession()).toBe(false);
    await afterTick();
    await beating(next);
    for (let n = 0; n < 8 && !log().includes('the crash loop is over'); n++) {
      const { cycle } = heartbeat();
      await until('its next cycle', () => heartbeat().cycle > cycle, WAIT_MS);
      await afterTick();
    }
    expect(log()).toContain('deacon: it stays up again; the crash loop is over');
    expect(log().match(/deacon: crash loop/g)).toHaveLength(1);
  });

  it('a daemon that is killed is started again by its supervisor, and goes on; two are one', async () => {
    const { pid, ticks } = daemonState();
    const deacon = patrol();
    process.kill(pid, 'SIGKILL');
    await until('the next daemon has ticked', () => daemonState().pid !== pid, WAIT_MS);
    expect(ticks).toBeGreaterThan(3);
    expect(patrol()).toBe(deacon);
    const second = await runHolter(folder, ['daemon', '--once', '--town', path()]);
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining('another daemon runs in') });
  });
});

describe('the chain without tmux', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holter-degraded-'));
  const path = join(folder, 'bin');

  /** Which process was started last, by the one file of this folder. */
  const started = (kind: 'deacons' | 'members'): number | null => {
    const place = join(folder, 'data', kind);
    const [name] = existsSync(place) ? readdirSync(place) : [];
    return name === undefined ? null : JSON.parse(readFileSync(join(place, name), 'utf8')).pid;
  };
  const tick = async (): Promise<void> => {
    const args = ['daemon', '--once', '--town', join(folder, 'town')];
    const { code, err } = await runHolter(folder, args, { PATH: path });
    expect({ code, err }).toMatchObject({ code: 0 });
  };
  const end = async (pid: number | null): Promise<void> => {
    if (pid === null) return;
    process.kill(pid, 'SIGTERM');
    await until('it has ended', () => !isThere(pid), WAIT_MS);
  };

  beforeAll(() => {
    for (const name of ['holter', 'town', 'bin']) mkdirSync(join(folder, name));
    for (const program of ['sh', 'sleep', 'env']) symlinkSync(`/usr/bin/${program}`, join(path, program));
    const config = { town: { agents: { [WITNESS]: { command: ['sleep', '1000'], group: 'alpha' } } } };
    writeFileSync(join(folder, 'holter', 'holter.yaml'), JSON.stringify(config));
  });

  afterAll(async () => {
    const server = JSON.parse(readFileSync(join(folder, 'data', 'server.json'), 'utf8')).pid;
    for (const pid of [started('members'), started('deacons'), server]) await end(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });

  it('the Deacon and the witness are started as processes of their own, and again when they have ended', async () => {
    await tick();
    const [deacon, witness] = [started('deacons'), started('members')];
    expect([isThere(deacon ?? 0), isThere(witness ?? 0)]).toEqual([true, true]);
    await until(
      'the witness is known to the server',
      async () => (await runHolter(folder, ['status', '--json', '--group', 'alpha'])).out.includes(WITNESS),
      WAIT_MS,
    );
    await tick();
    expect([started('deacons'), started('members')]).toEqual([deacon, witness]);
    await end(witness);
    await tick();
    expect(started('members')).not.toBe(witness);
    expect(isThere(started('members') ?? 0)).toBe(true);
    const state = JSON.parse(readFileSync(join(folder, 'town', 'daemon', 'state.json'), 'utf8'));
    expect(state.links[`agent:${WITNESS}`]).toMatchObject({ incident: null, is_latched: false });
  });
});
