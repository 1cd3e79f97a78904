import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, type HolterProcess } from '../holter-process.ts';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));

type Started = { readonly child: ChildProcess; readonly incarnation: number; readonly out: () => string };
type Effect = { readonly id: string; readonly kind: string; readonly spawnKey?: string };

/** Starts an agent, and its successor when Holter asks for it: what a tool that runs agents on other machines does. */
export class Starter {
  readonly started: Started[] = [];
  private readonly executor = `run:${randomUUID()}`;
  private readonly holter: HolterProcess;
  private readonly agentId: string;
  private readonly folder: string;
  private isClosed = false;

  constructor(holter: HolterProcess, agentId: string, folder: string) {
    this.holter = holter;
    this.agentId = agentId;
    this.folder = folder;
  }

  /** `url`: the way of this start to the server. */
  async start(url: string, spawnKey?: string): Promise<Started> {
    const { agentId, executor, folder } = this;
    const { token, incarnation } = await this.call<{ token: string; incarnation: number }>('/v1/agents', {
      agentId,
      executor,
      instanceId: randomUUID(),
      role: 'critical-infrastructure',
      mode: 'act',
      can: ['nudge', 'spawn'],
      promises: { beatEverySeconds: 2 },
      ...(spawnKey !== undefined && { spawnKey }),
    });
    const env = cleanEnvironment(folder, {
      HOLTER_URL: url,
      HOLTER_TOKEN: token,
      HOLTER_AGENT_ID: agentId,
      HOLTER_INCARNATION: String(incarnation),
      HOLTER_RUN_ID: executor.slice('run:'.length),
    });
    const child = spawn(process.execPath, [worker], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    const started = { child, incarnation, out: () => out };
    this.started.push(started);
    return started;
  }

  /** Carries out what Holter asks for, until it is closed. */
  async serve(): Promise<void> {
    const identity = { bootId: 'another', pid: 1, startedAt: '1' };
    await this.call(`/v1/executors/${this.executor}`, {
      agentId: this.agentId,
      incarnation: 1,
      runId: randomUUID(),
      hostId: 'another machine',
      run: identity,
      child: null,
      nudgeFile: null,
      words: 'replies',
      onLost: 'adopt',
    });
    while (!this.isClosed) {
      const path = `/v1/executors/${this.executor}`;
      const { effects } = await this.call<{ effects: readonly Effect[] }>(`${path}/poll`, {
        have: [],
        waitSeconds: 1,
      });
      for (const { id, kind, spawnKey } of effects) {
        if (kind === 'spawn') await this.start(this.holter.url, spawnKey);
        const outcome = kind === 'spawn' ? 'done' : 'refused';
        await this.call(`${path}/receipts`, { effectId: id, outcome, detail: kind });
      }
    }
  }

  close(): void {
    this.isClosed = true;
    for (const { child } of this.started) child.kill('SIGKILL');
  }

  private async call<T>(path: string, body: unknown): Promise<T> {
    const response = await fetch(`${this.holter.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.holter.token('operator')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
