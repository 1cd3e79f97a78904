import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, type DataFolder, openLogFile } from '@holter/server/process';
import { call, NoAnswer, type Reply, type Target } from '../background/http-call.ts';
import { CODE, RunFailure } from './end.ts';

type LinkOptions = {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** A server on another machine, with its token; it is never started from here. */
  readonly named: Target | null;
  readonly canStart: boolean;
  readonly config: string | undefined;
  readonly say: (line: string) => void;
};

const READY_MS_MAX = 20_000;
const LOOK_EVERY_MS = 40;
const AGAIN_MS_MAX = 2_000;

/**
 * The connection to the server of the data folder. The server is found through the folder, started in the background
 * if there is none, and found or started again when it goes away. If two runs start one at the same time, the
 * folder's lock lets only one server run, and both runs find it.
 */
export class ServerLink {
  private readonly options: LinkOptions;
  private target: Target | null = null;
  private finding: Promise<Target> | null = null;
  private isVersionTold = false;
  private isClosed = false;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  /** The address that the agents of this run report to. */
  get url(): string {
    return this.target?.url ?? '';
  }

  /** Waits until a server answers. The first time a failure is final; later it is retried without limit. */
  async connect(): Promise<void> {
    this.target = await this.findOrStart();
  }

  /** Sends one request. Throws `NoAnswer` if there is no answer, and starts to search for the server. */
  async ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    timeoutMs?: number,
  ): Promise<Reply> {
    const target = this.target ?? (await this.reconnect());
    try {
      return await call(target, method, path, body, timeoutMs);
    } catch (error) {
      if (error instanceof NoAnswer && this.target === target) {
        this.target = null;
        void this.reconnect().catch(() => undefined);
      }
      throw error;
    }
  }

  /** Repeats the request until a server answers. */
  async insist(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Reply> {
    for (;;) {
      try {
        const reply = await this.ask(method, path, body);
        if (reply.status < 500) return reply;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      if (this.isClosed) throw new NoAnswer('closed');
      await this.wait(200);
    }
  }

  close(): void {
    this.isClosed = true;
  }

  private reconnect(): Promise<Target> {
    this.finding ??= this.keepFinding().finally(() => {
      this.finding = null;
    });
    return this.finding;
  }

  private async keepFinding(): Promise<Target> {
    for (let waitMs = 50; ; waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2)) {
      try {
        this.target = await this.findOrStart();
        return this.target;
      } catch {
        if (this.isClosed) throw new NoAnswer('closed');
        await this.wait(waitMs);
      }
    }
  }

  private async findOrStart(): Promise<Target> {
    const { named, canStart, folder } = this.options;
    const found = await this.find();
    if (found) return found;
    if (named) throw new RunFailure(CODE.error, `no server answers at ${named.url}`);
    if (!canStart) throw new RunFailure(CODE.error, `no server runs on the data folder ${folder.path}`);
    const startedPid = this.startDaemon();
    const deadline = this.options.clock.now() + READY_MS_MAX;
    for (;;) {
      await this.wait(LOOK_EVERY_MS);
      const started = await this.find();
      if (started) return started;
      if (this.options.clock.now() > deadline)
        throw new RunFailure(
          CODE.error,
          `the server in the background (pid ${startedPid}) did not come up; see ${this.logFile}`,
        );
    }
  }

  private async find(): Promise<Target | null> {
    const { named, folder, version, say } = this.options;
    const local = folder.readServer();
    const target = named ?? (local ? { url: local.url, token: folder.readToken('operator') } : null);
    if (!target) return null;
    try {
      const { status, body } = await call(target, 'GET', '/health', undefined, 2_000);
      const theirs = (body as { version?: unknown } | null)?.version;
      if (status !== 200 || typeof theirs !== 'string') return null;
      if (theirs !== version && !this.isVersionTold) {
        this.isVersionTold = true;
        say(`the server is Holter ${theirs}, this is ${version}; stop it, and the next run starts its own`);
      }
      return target;
    } catch {
      return null;
    }
  }

  private get logFile(): string {
    return join(this.options.folder.path, 'server.log');
  }

  /** Starts it detached, with a log file instead of the terminal and without the marker of this run's children. */
  private startDaemon(): number | undefined {
    const { folder, env, config } = this.options;
    folder.prepare();
    const main = fileURLToPath(new URL('./main.js', import.meta.url));
    const own = Object.fromEntries(
      Object.entries(env).filter(([name]) => !/^HOLTER_(?!CONFIG$|DATA$)/.test(name)),
    );
    const log = openLogFile(this.logFile);
    try {
      const args = [
        main,
        'daemon',
        '--data',
        folder.path,
        ...(config === undefined ? [] : ['--config', config]),
      ];
      const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log], env: own });
      child.on('error', () => undefined);
      child.unref();
      return child.pid;
    } finally {
      closeSync(log);
    }
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.options.clock.after(ms, resolve));
  }
}
