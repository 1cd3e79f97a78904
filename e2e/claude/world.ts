import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hookSettings } from '../../packages/server/src/adapters/claude-code/hook-settings.ts';
import { until } from '../../packages/server/test/until.ts';
import { bin, type HolterProcess, startHolter } from '../holter-process.ts';
import { installClaude } from './install-cli.ts';
import { type Script, ScriptedModel } from './scripted-model.ts';

/** The same rules with short times. The mass-failure brake is off, because several agents crash on purpose. */
export const shortPolicy = `
fleet: { brake: { losses_min: 1000 } }
health_monitoring:
  health_check: { interval_seconds: 1 }
  intervention:
    nudge: { interval_seconds: 3 }
    escalation: { timeout_seconds: 30 }
    termination: { cleanup_timeout_seconds: 5 }
  recovery: { backoff_seconds: [1, 2, 4] }
rules:
  settle: 0
  silence_warn: 2s
  silence_act: 4s
  incident_close_after: 1s
  probation: 2s
`;

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

export type RunParts = {
  readonly options?: readonly string[];
  readonly args?: readonly string[];
  readonly more?: Record<string, string>;
};

export type Event = { readonly type: string; readonly payload: Readonly<Record<string, unknown>> };

/** An isolated setup: its own home, its own Holter, its own model, and the real CLI. */
export class World {
  readonly folder: string;
  readonly claudePath: string;
  private readonly models: ScriptedModel[] = [];
  private readonly children = new Set<ChildProcess>();
  server!: HolterProcess;

  private constructor(folder: string, claudePath: string) {
    this.folder = folder;
    this.claudePath = claudePath;
  }

  static async start(policy = shortPolicy): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'holter-claude-'));
    const world = new World(folder, await installClaude());
    mkdirSync(world.programs);
    mkdirSync(world.project, { recursive: true });
    writeFileSync(join(folder, 'policy.yaml'), policy);
    await world.startServer();
    return world;
  }

  /** Comes first in the path of the server, so that a test can replace a program. */
  get programs(): string {
    return join(this.folder, 'bin');
  }

  get project(): string {
    return join(this.folder, 'shop');
  }

  async startServer(port = 0): Promise<void> {
    const args = ['--port', String(port), '--config', join(this.folder, 'policy.yaml')];
    this.server = await startHolter(this.folder, args, {
      PATH: `${this.programs}:${process.env.PATH ?? ''}`,
    });
  }

  async model(script: Script): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
    await model.listen();
    this.models.push(model);
    return model;
  }

  /** Without the keys, settings and telemetry of the user who runs the tests. */
  environment(model: ScriptedModel, more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      HOME: this.folder,
      XDG_CONFIG_HOME: this.folder,
      HOLTER_DATA: join(this.folder, 'data'),
      NO_COLOR: '1',
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ...more,
    };
  }

  /** A headless session that is connected by its hooks, as `holter connect` would do it. */
  claude(
    model: ScriptedModel,
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ): Promise<Ran> {
    return this.startClaude(model, args, more).ended;
  }

  startClaude(
    model: ScriptedModel,
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ): { readonly child: ChildProcess; readonly ended: Promise<Ran> } {
    const settings = { hooks: hookSettings(this.server.url, { variable: 'HOLTER_HOOK_TOKEN' }) };
    const env = this.environment(model, { HOLTER_HOOK_TOKEN: this.server.token('enroll'), ...more });
    const all = [
      '-p',
      'do the work',
      '--settings',
      JSON.stringify(settings),
      '--allowedTools',
      'Bash',
      ...args,
    ];
    return this.spawn(this.claudePath, all, env);
  }

  /** A session as a person starts it: it knows Holter only from its settings. */
  bare(model: ScriptedModel): Promise<Ran> {
    const args = ['-p', 'do the work', '--allowedTools', 'Bash'];
    return this.spawn(this.claudePath, args, this.environment(model)).ended;
  }

  /** `holter run -- claude …`, headless; Holter may act on it. */
  run(
    model: ScriptedModel,
    { options = [], args = [], more = {} }: RunParts = {},
  ): { readonly child: ChildProcess; readonly ended: Promise<Ran> } {
    const command = [this.claudePath, '-p', 'do the work', '--allowedTools', 'Bash', ...args];
    const all = [bin, 'run', '--look-every', '250ms', ...options, '--', ...command];
    return this.spawn(process.execPath, all, this.environment(model, more));
  }

  holter(args: readonly string[]): Promise<Ran> {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: this.folder, HOLTER_DATA: join(this.folder, 'data'), NO_COLOR: '1' };
    return this.spawn(process.execPath, [bin, ...args], env).ended;
  }

  spawn(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ran> } {
    const child = spawn(command, args, { cwd: this.project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.children.add(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    const ended = once(child, 'close').then(([code]) => {
      this.children.delete(child);
      return { code: code as number | null, out, err };
    });
    return { child, ended };
  }

  /** The process of a run, as it was reported to the server. */
  async childOf(agentId: string): Promise<number> {
    const isOurs = new Set(processesWith(`HOME=${this.folder}`).map(({ pid }) => pid));
    const found = processesWith(`HOLTER_AGENT_ID=${agentId}`).find(
      ({ pid, command }) => isOurs.has(pid) && command.startsWith(this.claudePath),
    );
    if (!found) throw new Error(`no Claude Code runs as ${agentId}`);
    return found.pid;
  }

  /** A session that lost its terminal goes on for a moment, and would write into the folder. Says how many did. */
  private endLeftovers(): number {
    const found = processesWith(`HOME=${this.folder}`);
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    return found.length;
  }

  /** The transcripts of a session; none before its first line is written. */
  transcriptsOf(session: string): readonly string[] {
    const projects = join(this.folder, '.claude', 'projects');
    if (!existsSync(projects)) return [];
    return readdirSync(projects)
      .map((project) => join(projects, project, `${session}.jsonl`))
      .filter((file) => existsSync(file));
  }

  transcript(session: string): string {
    return this.transcriptsOf(session)
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
  }

  async get<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.server.token('operator')}` };
    const response = await fetch(`${this.server.url}${path}`, { headers });
    return (await response.json()) as T;
  }

  async events(agentId?: string): Promise<readonly Event[]> {
    const query = agentId === undefined ? '' : `agentId=${agentId}&`;
    return (await this.get<{ events: Event[] }>(`/v1/events?${query}limit=1000`)).events;
  }

  agent(agentId: string): Promise<Record<string, unknown>> {
    return this.get(`/v1/agents/${agentId}`);
  }

  async agents(): Promise<readonly Record<string, unknown>[]> {
    return (await this.get<{ agents: Record<string, unknown>[] }>('/v1/agents')).agents;
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await this.server.end('SIGKILL');
    await Promise.all(this.models.map((model) => model.close()));
    await until('nothing runs in this home', () => this.endLeftovers() === 0, 30_000);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Processes that have this in their environment. */
function processesWith(variable: string): readonly { readonly pid: number; readonly command: string }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable);
      return isOurs ? [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }] : [];
    } catch {
      return [];
    }
  });
}
