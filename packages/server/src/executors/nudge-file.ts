import {
  type AgentFileRules,
  appendToAgentFile,
  type FileAnswer,
  removeAgentFile,
  replaceAgentFile,
  statAgentFile,
} from '../files/index.ts';

/** An agent that reads its nudges empties the file; one so large is no nudge file. */
const NUDGES_BYTES_MAX = 1024 * 1024;

/**
 * `nudge`: the next one takes the place of one that is unread. `request`: stays until it is read. `note`: no effect,
 * so nobody waits to hear that it was read.
 */
type MessageKind = 'nudge' | 'request' | 'note';

type Message = { readonly id: string; readonly kind: MessageKind; readonly line: string };

/**
 * Messages for a command: one JSON line each, in a file whose path is in its environment. A command that has read them
 * empties or removes the file; only that proves that they were seen.
 */
export class NudgeFile {
  readonly path: string;
  private readonly rules: AgentFileRules;
  private readonly noted: (answer: FileAnswer<unknown>) => void;
  private unread: readonly Message[] = [];
  private read: readonly Message[] = [];
  private turn: Promise<unknown> = Promise.resolve();

  /** `noted` is told at each use whether the file can be used. */
  constructor(
    path: string,
    rules: Omit<AgentFileRules, 'bytesMax'>,
    noted: (answer: FileAnswer<unknown>) => void = () => undefined,
  ) {
    this.path = path;
    this.noted = noted;
    this.rules = { ...rules, bytesMax: NUDGES_BYTES_MAX };
  }

  /** Makes the file that the command finds when it starts: empty, or with this note. */
  async create(note: string | null = null): Promise<void> {
    await this.inTurn(async () => {
      this.read = [];
      this.unread = note === null ? [] : [messageOf('restart', 'note', note)];
      await this.replace();
    });
  }

  /**
   * Writing the same message again changes nothing. What the command has put in place of the file is replaced, and
   * never written to.
   */
  write(id: string, kind: MessageKind, text: string): Promise<FileAnswer<void>> {
    return this.inTurn(async () => {
      const { isEmpty } = await this.look();
      if (this.unread.some((message) => message.id === id)) return { kind: 'ok', value: undefined };
      const before = this.unread;
      const message = messageOf(id, kind, text);
      this.unread = [...before.filter((each) => kind !== 'nudge' || each.kind !== 'nudge'), message];
      const answer = isEmpty
        ? await appendToAgentFile(this.path, message.line, this.rules)
        : await this.replace();
      if (answer.kind !== 'ok') this.unread = before;
      this.noted(answer);
      return answer;
    });
  }

  /** What is said of a nudge that lies here. */
  get waits(): string {
    return `it waits in ${this.path} until it is read`;
  }

  /** Ids of the messages that were read since the last check. */
  takeSeen(): Promise<readonly string[]> {
    return this.inTurn(async () => {
      if (this.unread.length > 0) this.noted((await this.look()).answer);
      const seen = this.read.filter(({ kind }) => kind !== 'note');
      this.read = [];
      return seen.map(({ id }) => id);
    });
  }

  async remove(): Promise<void> {
    await removeAgentFile(this.path);
  }

  /** An empty file, or none: everything in it was read. */
  private async look(): Promise<{ readonly answer: FileAnswer<unknown>; readonly isEmpty: boolean }> {
    const answer = await statAgentFile(this.path, this.rules);
    const isEmpty = answer.kind === 'missing' || (answer.kind === 'ok' && answer.value.size === 0);
    if (isEmpty) {
      this.read = [...this.read, ...this.unread];
      this.unread = [];
    }
    return { answer, isEmpty };
  }

  private replace(): Promise<FileAnswer<void>> {
    return replaceAgentFile(this.path, this.unread.map(({ line }) => line).join(''), this.rules.folder);
  }

  /** One use after the other: each depends on what the one before has found. */
  private inTurn<T>(use: () => Promise<T>): Promise<T> {
    const done = this.turn.then(use);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

/** JSON, which a program can parse and a person can read. */
const messageOf = (id: string, kind: MessageKind, message: string): Message => ({
  id,
  kind,
  line: `${JSON.stringify({ id, message })}\n`,
});
