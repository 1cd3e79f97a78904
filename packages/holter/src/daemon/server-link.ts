import type { Instant, LinkLook } from '@holter/core';
import {
  type Clock,
  type DataFolder,
  findProcess,
  identityOf,
  isAlive,
  type ProcessIdentity,
  type ProcessRow,
  type ProcessTable,
} from '@holter/server/process';
import { ensureServer } from '../background/ensure-server.ts';
import { call } from '../background/http-call.ts';

type ServerContext = {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly table: ProcessTable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** How long it may take to answer. */
  readonly answerMs: number;
  /** Starts the server and returns when it answers; the default is the one of every command. */
  readonly start?: () => Promise<unknown>;
};

type Answer = { readonly startedAt: number; readonly tick: number };

/** The server writes its file right after it has begun to answer. */
const SAME_START_MS_MAX = 60_000;
const STOP_LOOK_MS = 100;
/** For a clean end, which may have to drain; then SIGKILL. */
const STOP_MS_MAX = 20_000;

/** The Holter server of a data folder, as one link of the chain. */
export class ServerLink {
  private readonly context: ServerContext;

  constructor(context: ServerContext) {
    this.context = context;
  }

  /**
   * A server is known by the process that its file names, once that server has answered; from then on only this very
   * process counts. Its file is removed when it stops on purpose, and stays when it crashes.
   */
  async look(before: LinkLook | null): Promise<LinkLook> {
    const { folder, clock, table } = this.context;
    const file = folder.readServer();
    const answer = file && (await this.ask(file.url));
    const at = clock.now();
    if (file && answer && Math.abs(answer.startedAt - file.startedAt) <= SAME_START_MS_MAX) {
      const row = table.row(file.pid);
      if (row) return lookAt(at, row, identityOf(table, row), answer.tick);
    }
    const known = knownProcess(before);
    const row = known && findProcess(table, known);
    if (known && row && row.state !== 'zombie') {
      // Another file, or none, while it still runs: it is stopping, or a successor has just begun.
      if (file?.pid !== known.pid) return unknownLook(at, before);
      return lookAt(at, row, known, null);
    }
    if (!known && !this.isAbsent) return unknownLook(at, before);
    const state = known && !file ? 'ended' : 'gone';
    return { at, process: before?.process ?? null, state, cpuMs: null, tick: null };
  }

  /** Whether no process could be the server. */
  get isAbsent(): boolean {
    const { folder, table } = this.context;
    const file = folder.readServer();
    return file === null || table.row(file.pid) === null;
  }

  async start(): Promise<undefined> {
    const { start, ...context } = this.context;
    await (start ? start() : ensureServer({ ...context, idleSeconds: null }));
    return undefined;
  }

  /** Ends exactly this process. Null when it is gone, else what is left. */
  async stop(process: string): Promise<string | null> {
    const { table, clock } = this.context;
    const identity = JSON.parse(process) as ProcessIdentity;
    const begunAt = clock.now();
    let signal: 'SIGTERM' | 'SIGKILL' | null = null;
    while (isAlive(table, identity)) {
      const next = clock.now() - begunAt < STOP_MS_MAX ? 'SIGTERM' : 'SIGKILL';
      if (clock.now() - begunAt > 2 * STOP_MS_MAX) return `process ${identity.pid} does not end`;
      if (next !== signal) send(table, identity, next);
      signal = next;
      await new Promise<void>((resolve) => void clock.after(STOP_LOOK_MS, resolve));
    }
    return null;
  }

  private async ask(url: string): Promise<Answer | null> {
    try {
      const { body } = await call({ url, token: null }, 'GET', '/health', undefined, this.context.answerMs);
      const { startedAt, lastTickAt } = body as { startedAt?: unknown; lastTickAt?: unknown };
      return typeof startedAt === 'number' ? { startedAt, tick: Number(lastTickAt ?? 0) } : null;
    } catch {
      return null;
    }
  }
}

export const knownProcess = (look: LinkLook | null): ProcessIdentity | null =>
  look?.process ? (JSON.parse(look.process) as ProcessIdentity) : null;

const lookAt = (at: Instant, row: ProcessRow, identity: ProcessIdentity, tick: number | null): LinkLook => ({
  at,
  process: JSON.stringify(identity),
  state: row.state === 'stopped' ? 'stopped' : 'running',
  cpuMs: row.cpuMs,
  tick,
});

/** The known process is kept, so that a later look can find it again. */
export const unknownLook = (at: Instant, before: LinkLook | null): LinkLook => ({
  at,
  process: before?.process ?? null,
  state: 'unknown',
  cpuMs: null,
  tick: null,
});

/** By pid and start time, checked right before. A stopped process has to go on in order to be told. */
function send(table: ProcessTable, identity: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void {
  const row = findProcess(table, identity);
  if (!row) return;
  try {
    process.kill(row.pid, signal);
    if (row.state === 'stopped' && signal === 'SIGTERM') process.kill(row.pid, 'SIGCONT');
  } catch {
    // Gone meanwhile.
  }
}
