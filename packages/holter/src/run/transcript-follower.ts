import { type MarkedSignal, type Transcript, TranscriptTail } from '@holter/server/adapters';
import { type FileAnswer, ownerOf, statAgentFile } from '@holter/server/process';

/** The transcript of a session that has no hooks to name it to the server. */
export type FollowedTranscript = {
  readonly file: string;
  readonly sessionId: string;
  readonly open: Transcript['open'];
};

/** Reports what a session writes into its transcript. */
export class TranscriptFollower {
  private readonly transcript: FollowedTranscript;
  private readonly tell: (signal: MarkedSignal) => void;
  private readonly noted: (answer: FileAnswer<unknown>) => void;
  private tail: TranscriptTail | null = null;
  private looking: Promise<void> = Promise.resolve();

  /** `noted` is told at each look whether the file can be used. */
  constructor(
    transcript: FollowedTranscript,
    tell: (signal: MarkedSignal) => void,
    noted: (answer: FileAnswer<unknown>) => void = () => undefined,
  ) {
    this.transcript = transcript;
    this.tell = tell;
    this.noted = noted;
  }

  /** A start begins. What is in the file already is about an earlier one. */
  async begin(): Promise<void> {
    const { file, sessionId, open } = this.transcript;
    const rules = { isOwner: ownerOf(), bytesMax: Number.POSITIVE_INFINITY };
    const answer = await statAgentFile(file, rules);
    const position = answer.kind === 'ok' ? answer.value.size : 0;
    const session = {
      sessionId,
      hasTold: () => false,
      tell: async (signal: MarkedSignal) => this.tell(signal),
    };
    this.tail = new TranscriptTail(session, {
      file,
      reader: open(sessionId),
      start: { position, tokens: 0, models: [] },
      hooks: () => 'none',
      noted: this.noted,
    });
  }

  /** Resolves when everything that was written before the call has been reported; a file that can't be read has nothing. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.tail?.look()).catch(() => undefined);
    return this.looking;
  }
}
