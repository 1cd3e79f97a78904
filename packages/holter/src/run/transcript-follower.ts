import { statSync } from 'node:fs';
import { type MarkedSignal, type Transcript, TranscriptTail } from '@holter/server/adapters';

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
  private tail: TranscriptTail | null = null;
  private looking: Promise<void> = Promise.resolve();

  constructor(transcript: FollowedTranscript, tell: (signal: MarkedSignal) => void) {
    this.transcript = transcript;
    this.tell = tell;
  }

  /** A start begins. What is in the file already is about an earlier one. */
  begin(): void {
    const { file, sessionId, open } = this.transcript;
    const position = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const session = {
      sessionId,
      hasTold: () => false,
      tell: async (signal: MarkedSignal) => this.tell(signal),
    };
    this.tail = new TranscriptTail(session, {
      file,
      reader: open(sessionId),
      start: { position, tokens: 0, costUsd: 0 },
      hooks: () => 'none',
    });
  }

  /** Resolves when everything that was written before the call has been reported; a file that can't be read has nothing. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.tail?.look()).catch(() => undefined);
    return this.looking;
  }
}
