import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until as untilSoon } from '../../packages/server/test/until.ts';

const here = dirname(fileURLToPath(import.meta.url));
export const bin = join(dirname(dirname(here)), 'packages', 'holter', 'dist', 'main.js');
export const fixture = (name: string): string => join(here, 'fixtures', `${name}.mjs`);

/** Seconds instead of minutes. No brake, because many agents crash in a minute on purpose. */
const quick = `
fleet: { brake: { losses_min: 1000 } }
health_monitoring:
  health_check: { interval_seconds: 1 }
  intervention: { termination: { cleanup_timeout_seconds: 3 } }
  recovery: { backoff_seconds: [0, 0, 0] }
rules:
  freeze_stopped: 2s
  freeze_flat: 2s
  inquiry_wait: 1s
  settle: 0
`;

export type Run = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** The last line of its output, which `--json` prints. */
  readonly report: () => Record<string, unknown>;
};

/** A separate data folder and the processes that use it. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'holter-run-'));
  private readonly runs: Run[] = [];

  constructor(config = quick) {
    writeFileSync(join(this.folder, 'holter.yaml'), config);
  }

  get env(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    const { folder } = this;
    return {
      PATH,
      HOME: folder,
      HOLTER_DATA: join(folder, 'data'),
      HOLTER_CONFIG: join(folder, 'holter.yaml'),
    };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  run(...args: readonly string[]): Run {
    return this.runIn('.', ...args);
  }

  runIn(folder: string, ...args: readonly string[]): Run {
    const options = { cwd: this.path(folder), env: this.env, stdio: ['ignore', 'pipe', 'pipe'] as const };
    const child = spawn(process.execPath, [bin, 'run', '--look-every', '250ms', ...args], {
      ...options,
      stdio: [...options.stdio],
    });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out = (out + chunk.toString()).slice(-1_000_000);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    const ended = new Promise<number | string | null>((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    const report = () => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    const run = { child, pid: child.pid ?? 0, out: () => out, err: () => err, ended, report };
    this.runs.push(run);
    return run;
  }

  /** Another command of the same data folder. */
  async holter(...args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [bin, ...args], { cwd: this.folder, env: this.env });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    return new Promise((resolve) => void child.once('close', (code) => resolve({ code, out, err })));
  }

  get server(): { readonly url: string; readonly pid: number } {
    return JSON.parse(readFileSync(this.path('data/server.json'), 'utf8'));
  }

  async ask<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const token = readFileSync(this.path('data/operator.token'), 'utf8').trim();
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  agent(id: string): Promise<AgentShown> {
    return this.ask('GET', `/v1/agents/${id}`);
  }

  /** Waits until the agent's record matches. */
  async untilAgent(id: string, what: string, isSo: (agent: AgentShown) => boolean): Promise<AgentShown> {
    return until(`${id}: ${what}`, async () => {
      const agent = await this.agent(id).catch(() => null);
      return agent && isSo(agent) ? agent : null;
    });
  }

  async events(agentId: string): Promise<readonly string[]> {
    const { events } = await this.ask<{ events: { type: string }[] }>(
      'GET',
      `/v1/events?agentId=${agentId}&limit=1000`,
    );
    return events.map(({ type }) => type);
  }

  async receipts(agentId: string): Promise<readonly { readonly outcome: string }[]> {
    const query = `agentId=${agentId}&type=EFFECT_RECEIPT&limit=1000`;
    const { events } = await this.ask<{ events: { payload: { outcome: string } }[] }>(
      'GET',
      `/v1/events?${query}`,
    );
    return events.map(({ payload }) => payload);
  }

  /** Where the only run of this agent writes its nudges. */
  nudgeFile(agentId: string): string | null {
    const folder = this.path(`data/runs/${agentId}`);
    const name = readdirSync(folder).find((each) => each.endsWith('.nudges'));
    return name === undefined ? null : join(folder, name);
  }

  /** Ends only what this world started. */
  async close(): Promise<void> {
    for (const { child } of this.runs) if (isRunning(child)) child.kill('SIGTERM');
    await Promise.all(this.runs.map(({ ended }) => ended));
    try {
      const { pid } = this.server;
      process.kill(pid, 'SIGTERM');
      await until('the server has ended', () => !isThere(pid));
    } catch {
      // No server was running.
    }
    // A run that was killed leaves its child behind; the child is found by the folder in its environment.
    for (const pid of pidsOf(this.path('data'))) process.kill(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export type AgentShown = {
  readonly agentId: string;
  readonly incarnation: number;
  readonly state: string;
  readonly liveness: string;
  readonly mode: string;
  readonly lastBeatAt: number | null;
  readonly findings: readonly {
    readonly kind: string;
    readonly severity: string;
    readonly evidence: string;
  }[];
  readonly incident: {
    readonly incidentId: string;
    readonly step: string;
    readonly nudges: { readonly decided: number; readonly delivered: number; readonly newest: string } | null;
    readonly next: { readonly why: string };
  } | null;
  readonly end: { readonly how: string; readonly detail: string; readonly byHolter: boolean } | null;
};

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** A zombie has ended, but its exit code was not read yet. */
export function isThere(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function pidsOf(dataFolder: string): number[] {
  const hasFolder = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOLTER_DATA=${dataFolder}`);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasFolder(name))
    .map(Number);
}

export const pidsSaid = (out: string): number[] =>
  [...out.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));

/**
 * Waits longer than the tests of the server do: processes start slowly on a busy machine, and a frozen one is proven only
 * by looks that come regularly.
 */
export const until: typeof untilSoon = (what, look, withinMs = 60_000) => untilSoon(what, look, withinMs);
