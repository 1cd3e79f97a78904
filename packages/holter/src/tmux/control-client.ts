import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { ControlReader, type ControlReply } from './control-reader.ts';

/** tmux refused a command, or is gone. */
export class TmuxError extends Error {
  override readonly name: string = 'TmuxError';
}

/** tmux is not installed. */
export class TmuxMissing extends TmuxError {
  override readonly name = 'TmuxMissing';

  constructor() {
    super('tmux is not installed');
  }
}

/** It could not be seen whether tmux runs or what runs in it. That is never the same as nothing. */
export class TmuxSilent extends TmuxError {
  override readonly name = 'TmuxSilent';
}

export const nullIfGone = (error: unknown): null => {
  if (error instanceof TmuxError && !(error instanceof TmuxSilent)) return null;
  throw error;
};

/** Far longer than tmux ever takes, and far shorter than the time between two looks of the daemon. */
export const ANSWER_MS = 5_000;
export const NO_ANSWER = 'tmux does not answer';

type Waiting = {
  readonly resolve: (reply: ControlReply) => void;
  readonly reject: (error: TmuxError) => void;
};

/** Which tmux server: a name as for `tmux -L`, or a path as for `tmux -S`; undefined is tmux's own default. */
export type Socket = string | undefined;

/** `answerMs`: how long tmux may take to answer. */
type Attach = { readonly socket: Socket; readonly env: NodeJS.ProcessEnv; readonly answerMs: number };

export const socketWords = (socket: Socket): readonly string[] => {
  if (socket === undefined) return [];
  return [socket.includes('/') ? '-S' : '-L', socket];
};

/**
 * One client in control mode for all panes of a tmux server: every look and every key goes through it, so that no
 * process is started for a pane. It neither changes the size of windows nor receives the output of panes.
 */
export class ControlClient {
  readonly ended: Promise<void>;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly reader = new ControlReader();
  private readonly waiting: Waiting[] = [];
  private readonly answerMs: number;
  private isEnded = false;

  private constructor({ socket, env, answerMs }: Attach, sessionId: string) {
    this.answerMs = answerMs;
    const words = ['-u', ...socketWords(socket), '-C', 'attach-session'];
    const flags = ['-f', 'ignore-size,no-output', '-t', sessionId];
    this.child = spawn('tmux', [...words, ...flags], { env, stdio: 'pipe' });
    this.child.stdout.setEncoding('utf8');
    this.child.stdout.on('data', (text: string) => {
      for (const reply of this.reader.push(text)) this.waiting.shift()?.resolve(reply);
    });
    // A write after its end is answered by the end itself.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.isEnded = true;
        for (const { reject } of this.waiting.splice(0)) reject(new TmuxError('tmux has gone'));
        resolve();
      };
      this.child.once('error', end);
      this.child.once('close', end);
    });
  }

  /** Null if this tmux server does not run or has no session. */
  static async attach(options: Attach): Promise<ControlClient | null> {
    const [sessionId] = await sessionIds(options);
    return sessionId === undefined ? null : new ControlClient(options, sessionId);
  }

  /** The lines of the reply. `command` is one line in tmux's own syntax; see `quoted`. */
  async ask(command: string): Promise<readonly string[]> {
    if (this.isEnded) throw new TmuxError('tmux has gone');
    const reply = await new Promise<ControlReply>((resolve, reject) => {
      // Replies come in order: after one that is missing, nothing that this client reads can be trusted.
      const timer = setTimeout(() => this.giveUp(), this.answerMs);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          settle(value);
        };
      this.waiting.push({ resolve: settled(resolve), reject: settled(reject) });
      this.child.stdin.write(`${command}\n`);
    });
    if (reply.isError) throw new TmuxError(reply.lines.join(' ') || 'tmux refused');
    return reply.lines;
  }

  get hasEnded(): boolean {
    return this.isEnded;
  }

  private giveUp(): void {
    this.isEnded = true;
    for (const { reject } of this.waiting.splice(0)) reject(new TmuxSilent(NO_ANSWER));
    this.close();
  }

  /** Whether the server was killed or has crashed, with all its panes. */
  get hasLostServer(): boolean {
    return this.reader.exit?.includes('unexpectedly') ?? false;
  }

  /**
   * Detaches; sessions and panes stay. Only a kill also ends a client that waits for a server that hangs, which keeps
   * the other ends of its pipes.
   */
  close(): void {
    const { child } = this;
    child.kill('SIGKILL');
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

/** None only if tmux itself says that there is none. */
async function sessionIds({ socket, env, answerMs }: Attach): Promise<readonly string[]> {
  const words = [...socketWords(socket), 'list-sessions', '-F', '#{session_id}'];
  const limits = { timeout: answerMs, killSignal: 'SIGKILL' } as const;
  try {
    const { stdout } = await promisify(execFile)('tmux', words, { env, ...limits });
    return stdout.trim().split('\n').filter(Boolean);
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') throw new TmuxMissing();
    const said = stderr?.trim() ?? '';
    if (saysNoServer(said)) return [];
    throw new TmuxSilent(said === '' ? NO_ANSWER : `${NO_ANSWER}: ${said}`);
  }
}

/** tmux says in several ways that no server runs, each with the path of a socket. */
export const saysNoServer = (said: string): boolean =>
  /^no server running|^no sessions|\((?:No such file or directory|Connection refused)\)/.test(said);

/** One argument in tmux's syntax. Control characters are left out: a line is one command. */
export function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const clean = text.replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return `'${clean.replaceAll("'", `'\\''`)}'`;
}
