import {
  ANSWER_MS,
  ControlClient,
  quoted,
  type Socket,
  TmuxError,
  TmuxMissing,
  TmuxSilent,
} from './control-client.ts';
import { lookAtPanes, type PaneRow, type Panes } from './pane-row.ts';

/** The tmux server behind a socket, which may come and go. */
export class TmuxServer {
  private readonly socket: Socket;
  private readonly env: NodeJS.ProcessEnv;
  private readonly answerMs: number;
  /** Whether the server that was attached last has crashed: nobody has closed its panes. */
  isLost = false;
  private client: ControlClient | null = null;
  private attaching: Promise<ControlClient | null> | null = null;
  private isClosed = false;
  /** Socket, process and start of the server that is attached: pane ids mean something only together with it. */
  private attached: string | null = null;

  constructor(socket: Socket, env: NodeJS.ProcessEnv, answerMs = ANSWER_MS) {
    this.socket = socket;
    this.env = env;
    this.answerMs = answerMs;
  }

  get key(): string | null {
    return this.attached;
  }

  /** All panes now; null if this server does not run. Throws `TmuxSilent` if that can't be seen. */
  async look(): Promise<Panes | null> {
    const hadClient = this.client !== null;
    try {
      return await this.lookOnce();
    } catch (error) {
      const hasEnded = isRefusal(error) && hadClient && !this.client;
      if (!hasEnded) throw asSilent(error);
    }
    // The client has ended: with its server, or only with the session that it was attached to.
    if (this.isLost) return null;
    return this.lookOnce().catch((error: unknown) => {
      throw asSilent(error);
    });
  }

  async ask(command: string): Promise<readonly string[]> {
    if (!this.client) throw new TmuxError('its tmux server is not running');
    return this.client.ask(command);
  }

  paneOf(paneId: string): Pane {
    return new Pane(this, this.attached, paneId);
  }

  close(): void {
    this.isClosed = true;
    this.client?.close();
    this.client = null;
  }

  private async lookOnce(): Promise<Panes | null> {
    const client = await this.attach();
    try {
      return client && (await lookAtPanes(client));
    } finally {
      if (client?.hasEnded) await client.ended;
    }
  }

  /** The watch and effects of several panes may look at once; they share one client. */
  private async attach(): Promise<ControlClient | null> {
    if (this.client || this.isClosed) return this.client;
    this.attaching ??= this.open().finally(() => {
      this.attaching = null;
    });
    return this.attaching;
  }

  private async open(): Promise<ControlClient | null> {
    const { socket, env, answerMs } = this;
    const client = await ControlClient.attach({ socket, env, answerMs });
    if (!client) return null;
    const format = quoted('#{socket_path} #{pid} #{start_time}');
    const identity = await client.ask(`display-message -p ${format}`).catch((error: unknown) => {
      client.close();
      throw error;
    });
    if (this.isClosed) {
      client.close();
      return null;
    }
    this.client = client;
    this.attached = identity.join();
    this.isLost = false;
    void client.ended.then(() => {
      this.isLost = client.hasLostServer;
      if (this.client === client) this.client = null;
    });
    return client;
  }
}

const isRefusal = (error: unknown): error is TmuxError =>
  error instanceof TmuxError && !(error instanceof TmuxMissing) && !(error instanceof TmuxSilent);

/** A look that tmux refuses has seen nothing. */
const asSilent = (error: unknown): unknown => (isRefusal(error) ? new TmuxSilent(error.message) : error);

/** One pane of one run of a tmux server. A pane of a later run never answers for it. */
export class Pane {
  readonly paneId: string;
  private readonly server: TmuxServer;
  private readonly key: string | null;

  constructor(server: TmuxServer, key: string | null, paneId: string) {
    this.server = server;
    this.key = key;
    this.paneId = paneId;
  }

  /** Null when it has closed, or its tmux server has gone. Throws `TmuxSilent` if that can't be seen. */
  async look(): Promise<PaneRow | null> {
    const panes = await this.server.look();
    return (this.server.key === this.key && panes?.get(this.paneId)) || null;
  }

  /** A command whose target is this pane; `words` come after it. */
  async tell(command: string, words = ''): Promise<readonly string[]> {
    if (this.server.key !== this.key) throw new TmuxError('its tmux server has gone');
    return this.server.ask(`${command} -t ${this.paneId}${words && ` ${words}`}`);
  }

  /** The screen, with colours. */
  screen(): Promise<readonly string[]> {
    return this.tell('capture-pane -e -p');
  }

  /** What it shows and what has scrolled away, as text. */
  async history(lines: number): Promise<string> {
    // Joined, because a secret that is wrapped at the edge of the pane would not be recognised.
    const shown = await this.tell(`capture-pane -p -J -S -${lines}`);
    return `${shown
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()}\n`;
  }

  /** The pane stays when its command ends, with its exit code. */
  async stay(): Promise<void> {
    await this.tell('set-option -p', 'remain-on-exit on');
  }

  async paste(text: string): Promise<void> {
    const buffer = `holter${this.paneId}`;
    await this.server.ask(`set-buffer -b ${quoted(buffer)} -- ${quoted(text)}`);
    await this.tell(`paste-buffer -p -r -d -b ${quoted(buffer)}`);
  }
}
