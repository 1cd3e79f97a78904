import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AgentHealthEvents, AgentHealthMonitor } from '@holter/agent';
import { beforeAll, it } from 'vitest';

export { sleep };

/** The agent of seed 002: it answers each ping by an event with the id of the ping. */
export class SeedAgent extends EventEmitter {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
    this.setupHeartbeat();
  }

  setupHeartbeat(): void {
    this.on('heartbeat-ping', ({ id }: { readonly id: string }) => {
      this.emit(`heartbeat-response-${id}`);
    });
  }
}

export async function next<Name extends keyof AgentHealthEvents>(
  monitor: AgentHealthMonitor,
  name: Name,
  withinMs = 6_000,
): Promise<AgentHealthEvents[Name][0]> {
  const [event] = await once(monitor as EventEmitter, name, { signal: AbortSignal.timeout(withinMs) });
  return event;
}

/** Everything a monitor says, by name of the event. */
export function listen(monitor: AgentHealthMonitor): string[] {
  const told: string[] = [];
  const names = ['healthy', 'degraded', 'disconnected', 'reconnected', 'removed', 'recovering', 'recovered'];
  for (const name of [...names.map((each) => `agent-${each}`), 'agent-health-critical'])
    (monitor as EventEmitter).on(name, ({ agent }: { readonly agent: string }) =>
      told.push(`${name} ${agent}`),
    );
  return told;
}

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

export type Run = {
  readonly child: ChildProcess;
  /** Lines of stderr with the moment at which they came. */
  readonly lines: { readonly text: string; readonly at: number }[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
};

export function run(file: string, args: readonly string[] = [], execArgv: readonly string[] = []): Run {
  const child = spawn(process.execPath, [...execArgv, file, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: Run['lines'] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n')) if (line !== '') lines.push({ text: line, at: Date.now() });
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, lines, ended };
}

export async function until(isTrue: () => boolean, withinMs: number, what: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(20);
  }
}

const TOGETHER_MS_MAX = 120_000;

/** A test that mostly waits: all of a file begin at once, so that together they take as long as the longest. */
export function together(name: string, test: () => Promise<void>): void {
  let outcome: Promise<void> | null = null;
  beforeAll(() => {
    outcome = test();
    // Reported by the test itself, once it is its turn.
    outcome.catch(() => undefined);
  });
  it(name, () => outcome ?? undefined, TOGETHER_MS_MAX);
}

let cpuShare: Promise<number> | null = null;

/** Of one core, over a minute, alone in a process, as AC4 of seed 002 measures it. Measured once for all tests. */
export function cpuShareOf100(): Promise<number> {
  cpuShare ??= measureCpuShare();
  return cpuShare;
}

async function measureCpuShare(): Promise<number> {
  const { lines, ended } = run(fixture('cpu-100.mjs'), ['60000']);
  await ended;
  return Number(/share (\S+)/.exec(lines.map(({ text }) => text).join('\n'))?.[1]);
}
