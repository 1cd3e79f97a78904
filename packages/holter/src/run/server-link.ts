import type { Clock, DataFolder } from '@holter/server/process';
import {
  type Answering,
  answering,
  ensureServer,
  findAnswering,
  IDLE_SECONDS,
} from '../background/ensure-server.ts';
import { call, NoAnswer, type Reply, sayRefusal, type Target } from '../background/http-call.ts';
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
  private patience: { readonly ms: number; readonly endsAt: number } | null = null;
  /** Why the last request was not taken. */
  private trouble = 'no server answers';

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
    isLongPoll = false,
  ): Promise<Reply> {
    const target = this.target ?? (await this.reconnect());
    try {
      return await call(target, method, path, body, timeoutMs, isLongPoll);
    } catch (error) {
      if (error instanceof NoAnswer && this.target === target) {
        this.target = null;
        void this.reconnect().catch(() => undefined);
      }
      throw error;
    }
  }

  /** From now on a request fails with `NoAnswer` when the server has taken none for so long; null: never. */
  limitPatience(ms: number | null): void {
    this.patience = ms === null ? null : { ms, endsAt: this.options.clock.now() + ms };
  }

  /** Repeats the request until a server answers. */
  async insist(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Reply> {
    for (;;) {
      try {
        const reply = await this.ask(method, path, body);
        if (reply.status < 500) {
          if (this.patience) this.limitPatience(this.patience.ms);
          return reply;
        }
        this.trouble = sayRefusal(reply);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        this.trouble = error.message;
      }
      this.maybeGiveUp();
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
      } catch (error) {
        this.trouble = (error as Error).message;
        this.maybeGiveUp();
        await this.wait(waitMs);
      }
    }
  }

  private maybeGiveUp(): void {
    const { isClosed, patience, trouble, options } = this;
    if (isClosed) throw new NoAnswer('closed');
    if (patience && options.clock.now() > patience.endsAt) throw new NoAnswer(trouble);
  }

  private async findOrStart(): Promise<Target> {
    const found = await this.findOrEnsure();
    const { version, say } = this.options;
    if (found.version !== version && !this.isVersionTold) {
      this.isVersionTold = true;
      say(
        `the server is Holter ${found.version}, this is ${version}; stop it, and the next run starts its own`,
      );
    }
    return found;
  }

  private async findOrEnsure(): Promise<Answering> {
    const { named, canStart, folder, ...rest } = this.options;
    if (!named && canStart)
      return ensureServer({ ...rest, folder, workingDirectory: process.cwd(), idleSeconds: IDLE_SECONDS });
    const found = await (named ? answering(named) : findAnswering(folder));
    if (found) return found;
    throw new RunFailure(
      CODE.error,
      named ? `no server answers at ${named.url}` : `no server runs on the data folder ${folder.path}`,
    );
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.options.clock.after(ms, resolve));
  }
}

/** A server named by option or environment. The environment of an agent contains only that agent's own token. */
export function namedTarget(
  { url, data }: { readonly url?: string; readonly data?: string },
  env: NodeJS.ProcessEnv,
  folder: DataFolder,
): Target | null {
  const isAgent = Boolean(env.HOLTER_AGENT_ID);
  const named = url ?? (data === undefined && !isAgent ? env.HOLTER_URL || undefined : undefined);
  if (named === undefined) return null;
  const clean = named.replace(/(?<!\/)\/+$/, '');
  const isLocal = folder.readServer()?.url === clean;
  const token = (isAgent ? null : env.HOLTER_TOKEN) || (isLocal ? folder.readToken('operator') : null);
  return { url: clean, token };
}
