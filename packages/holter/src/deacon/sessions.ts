import { type Socket, TmuxError, TmuxMissing } from '../tmux/control-client.ts';
import { tmuxCommand } from '../tmux/exec.ts';
import type { PaneRow } from '../tmux/pane-row.ts';
import { type Pane, TmuxServer } from '../tmux/tmux-server.ts';

/** An option of each session that the chain has started: the folder of its town. */
const MARK = '@holter-town';

/** One session of a tmux server, found by its whole name. */
export type TownSession = {
  /** `$3`; never used again while its tmux server lives. */
  readonly sessionId: string;
  readonly name: string;
  /** Socket, process and start of its tmux server. */
  readonly serverKey: string;
  /** The town that has started it; null if somebody else did. */
  readonly town: string | null;
  readonly panes: readonly { readonly row: PaneRow; readonly pane: Pane }[];
};

/** `no-tmux`: it is not installed, so that no session can be seen or started. `unknown` is a look that failed. */
type FoundSession =
  | { readonly kind: 'found'; readonly session: TownSession }
  | { readonly kind: 'none' }
  | { readonly kind: 'no-tmux' }
  | { readonly kind: 'unknown'; readonly because: string };

type StartOptions = {
  readonly name: string;
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** The sessions of a town on its tmux socket. */
export class TownSessions {
  private readonly townPath: string;
  private readonly socket: Socket;
  private readonly env: NodeJS.ProcessEnv;
  private readonly server: TmuxServer;

  constructor(townPath: string, socket: Socket, env: NodeJS.ProcessEnv, answerMs?: number) {
    this.townPath = townPath;
    this.socket = socket;
    this.env = env;
    this.server = new TmuxServer(socket, env, answerMs);
  }

  async find(name: string): Promise<FoundSession> {
    try {
      return await this.look(name);
    } catch (error) {
      if (error instanceof TmuxMissing) return { kind: 'no-tmux' };
      if (error instanceof TmuxError) return { kind: 'unknown', because: error.message };
      throw error;
    }
  }

  private async look(name: string): Promise<FoundSession> {
    const panes = await this.server.look();
    const rows = [...(panes?.values() ?? [])].filter(({ sessionName }) => sessionName === name);
    const [first] = rows;
    const { key } = this.server;
    if (!first || key === null) return { kind: 'none' };
    const { sessionId } = first;
    const marks = await this.server.ask(`display-message -p -t '${sessionId}' '#{${MARK}}'`);
    return {
      kind: 'found',
      session: {
        sessionId,
        name,
        serverKey: key,
        town: marks.join('') || null,
        panes: rows
          .sort((a, b) => Number(a.paneId.slice(1)) - Number(b.paneId.slice(1)))
          .map((row) => ({ row, pane: this.server.paneOf(row.paneId) })),
      },
    };
  }

  isOwn({ town }: TownSession): boolean {
    return town === this.townPath;
  }

  /** The process id of its command. tmux itself refuses a second session of the same name. */
  async start({ name, folder, command, env }: StartOptions): Promise<number> {
    const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
    const place = ['-d', '-s', name, '-c', folder, '-x', '200', '-y', '50', '-P', '-F', '#{pane_pid}'];
    // A command of several words is executed as it is; a single one would go through a shell.
    const started = ['new-session', ...place, ...variables, 'env', ...command];
    const mark = ['set-option', '-t', `=${name}:`, MARK, this.townPath];
    return Number(await tmuxCommand(this.socket, this.env, [...started, ';', ...mark]));
  }

  /** Ends exactly this session of exactly this tmux server; a successor of the same name stays. */
  async kill({ sessionId, name, serverKey }: TownSession): Promise<void> {
    const [startTime = '', pid = ''] = serverKey.split(' ').reverse();
    const same = [
      ['pid', pid],
      ['start_time', startTime],
      ['session_name', name],
    ].map(([field, value]) => `#{==:#{${field}},${value}}`);
    const condition = `#{&&:${same[0]},#{&&:${same[1]},${same[2]}}}`;
    await tmuxCommand(this.socket, this.env, [
      ...['if-shell', '-F', '-t', sessionId, condition],
      `kill-session -t '${sessionId}'`,
    ]);
  }

  close(): void {
    this.server.close();
  }
}
