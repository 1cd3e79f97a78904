import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { ControlReader, type ControlReply } from './control-reader.ts';

/** tmux refused a command, or is gone. */
export class TmuxError extends Error {
  override readonly name: string = 'TmuxError';
}

export class TmuxMissing extends TmuxError {
  override readonly name = 'TmuxMissing';
  constructor() {
    super('tmux is not installed');
  }
}

export const nullIfGone = (error: unknown): null => {
  if (error instanceof TmuxError) return null;
  throw error;
};

type Waiting = {
  readonly resolve: (reply: ControlReply) => void;
  readonly reject: (error: TmuxError) => void;
};

/** Which tmux server: a name as for `tmux -L`, or a path as for `tmux -S`; undefined is tmux's own default. */
export type Socket = string | undefined;

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
  private isEnded = false;

  private constructor(socket: Socket, sessionId: string, env: NodeJS.ProcessEnv) {
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
  static async attach(socket: Socket, env: NodeJS.ProcessEnv): Promise<ControlClient | null> {
    const [sessionId] = await sessionIds(socket, env);
    if (sessionId === undefined) return null;
    const client = new ControlClient(socket, sessionId, env);
    try {
      await client.ask('display-message -p ok');
      return client;
    } catch (error) {
      if (error instanceof TmuxError) return null;
      throw error;
    }
  }

  /** The lines of the reply. `command` is one line in tmux's own syntax; see `quoted`. */
  async ask(command: string): Promise<readonly string[]> {
    if (this.isEnded) throw new TmuxError('tmux has gone');
    const reply = await new Promise<ControlReply>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${command}\n`);
    });
    if (reply.isError) throw new TmuxError(reply.lines.join(' ') || 'tmux refused');
    return reply.lines;
  }

  /** Whether the server was killed or has crashed, with all its panes. */
  get hasLostServer(): boolean {
    return this.reader.exit?.includes('unexpectedly') ?? false;
  }

  /** Detaches; sessions and panes stay. */
  close(): void {
    this.child.stdin.end();
  }
}

async function sessionIds(socket: Socket, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const words = [...socketWords(socket), 'list-sessions', '-F', '#{session_id}'];
  try {
    const { stdout } = await promisify(execFile)('tmux', words, { env });
    return stdout.trim().split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new TmuxMissing();
    return [];
  }
}

/** One argument in tmux's syntax. Control characters are left out: a line is one command. */
export function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const clean = text.replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return `'${clean.replaceAll("'", `'\\''`)}'`;
}
