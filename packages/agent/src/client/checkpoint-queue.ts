/** What became of a checkpoint. */
export type CheckpointOutcome =
  | { readonly kind: 'written'; readonly checkpointId: string; readonly hash: string }
  | {
      readonly kind: 'not-written';
      readonly because:
        | 'superseded'
        | 'refused'
        | 'breaker-open'
        | 'unreachable'
        | 'closed'
        | 'not-json'
        | 'too-large';
      readonly message: string;
    };

export type PendingCheckpoint = {
  readonly checkpointId: string;
  /** The whole request, serialized when the host asked for it. */
  readonly body: string;
  readonly settle: (outcome: CheckpointOutcome) => void;
};

/** The server accepts 4 MB. */
const BYTES_MAX = 4 * 1024 * 1024 - 1024;
const WAITING_MAX = 3;

/**
 * Checkpoints on their way to the server. The newest matters most: when several are queued, an older one is
 * dropped and its caller is told. Callers wait for a bounded time only.
 */
export class CheckpointQueue {
  private readonly waiting: PendingCheckpoint[] = [];
  private refusal: string | null = null;

  get head(): PendingCheckpoint | null {
    return this.waiting[0] ?? null;
  }

  put(checkpointId: string, content: unknown, waitMs: number): Promise<CheckpointOutcome> {
    const body = write(checkpointId, content);
    if (body === null) return notWritten('not-json', "the content can't be written as JSON");
    if (Buffer.byteLength(body) > BYTES_MAX)
      return notWritten('too-large', `a checkpoint may have at most ${BYTES_MAX} bytes`);
    if (this.refusal !== null) return notWritten('refused', this.refusal);
    return new Promise((resolve) => {
      const settle = (outcome: CheckpointOutcome): void => {
        clearTimeout(timer);
        this.remove(pending);
        resolve(outcome);
      };
      const pending: PendingCheckpoint = { checkpointId, body, settle };
      // Not unref'd: a program must not end while it waits for its checkpoint.
      const timer = setTimeout(settle, waitMs, {
        kind: 'not-written',
        because: 'unreachable',
        message: `the server was not reached within ${waitMs} ms`,
      } satisfies CheckpointOutcome);
      this.waiting.push(pending);
      if (this.waiting.length > WAITING_MAX)
        this.waiting[0]?.settle({
          kind: 'not-written',
          because: 'superseded',
          message: 'newer checkpoints are waiting',
        });
    });
  }

  /** The server does not let this agent in: until it does, nobody has to wait. */
  refuse(message: string): void {
    this.refusal = message;
    this.settleAll('refused', message);
  }

  admit(): void {
    this.refusal = null;
  }

  close(): void {
    this.settleAll('closed', 'the client was closed');
  }

  private settleAll(because: 'refused' | 'closed', message: string): void {
    for (const { settle } of [...this.waiting]) settle({ kind: 'not-written', because, message });
  }

  private remove(pending: PendingCheckpoint): void {
    const index = this.waiting.indexOf(pending);
    if (index !== -1) this.waiting.splice(index, 1);
  }
}

function write(checkpointId: string, content: unknown): string | null {
  try {
    return JSON.stringify({ checkpointId, content: content === undefined ? null : content });
  } catch {
    return null;
  }
}

const notWritten = (
  because: 'not-json' | 'too-large' | 'refused',
  message: string,
): Promise<CheckpointOutcome> => Promise.resolve({ kind: 'not-written', because, message });
