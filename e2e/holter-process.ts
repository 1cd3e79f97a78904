import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const bin = join(root, 'packages', 'holter', 'dist', 'main.js');

/** The environment of a child that must not find the servers or the configuration of the user who runs the tests. */
export function cleanEnvironment(folder: string, more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '' } = process.env;
  return {
    PATH,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    HOLTER_DATA: join(folder, 'data'),
    NO_COLOR: '1',
    ...more,
  };
}

export type HolterProcess = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly log: () => string;
  readonly token: (role: 'operator' | 'enroll' | 'viewer') => string;
  /** Sends the signal and waits until the process is gone; returns its exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

const READY_MS_MAX = 60_000;

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

/** A command of `holter`, run to its end. */
export async function runHolter(
  folder: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env: cleanEnvironment(folder, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** A real server process, ready to be talked to. */
export async function startHolter(
  folder: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<HolterProcess> {
  const child = spawn(process.execPath, [bin, 'up', ...args], {
    cwd: folder,
    env: cleanEnvironment(folder, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-100_000);
  });
  const url = await firstUrl(child, () => log);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    log: () => log,
    token: (role) => readFileSync(join(folder, 'data', `${role}.token`), 'utf8').trim(),
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

function firstUrl(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const timer = setTimeout(
      () => reject(new Error(`the server was not ready in time\n${log()}`)),
      READY_MS_MAX,
    );
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code} before it was ready\n${log()}`));
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const found = /https?:\/\/\S+/.exec(out)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
