import { clip, type MarkedSignal } from './hooks.ts';
import { parseRecord } from './json.ts';
import { LineTail, type LineTailOptions } from './line-tail.ts';
import { type MeterStart, ModelMeter } from './model-meter.ts';
import { nextTurn } from './next-turn.ts';
import type { TranscriptFact, TranscriptReader } from './transcript.ts';

export const TRANSCRIPT_CHANNEL = 'transcript';

/** So much is parsed before other work gets its turn and what was told is stored; each line costs extra. */
const TURN_LENGTH_MAX = 256 * 1024;
const LINE_COST = 500;

/** Read once more before the start, to know the messages and calls that go on after it. */
const WARM_BYTES = 256 * 1024;

/** The session whose transcript is followed. */
export type TailedSession = {
  readonly sessionId: string;
  /** Whether this very call was reported by a hook. */
  readonly hasTold: (callId: string) => boolean;
  readonly tell: (signal: MarkedSignal) => Promise<void>;
};

type TailOptions = LineTailOptions & {
  readonly file: string;
  readonly reader: TranscriptReader;
  /** Where an earlier look left off, by the agent's record, so that it survives a restart of Holter. */
  readonly start: MeterStart & {
    readonly position: number;
    /** Lines from before belong to another incarnation; absent where the position says so. */
    readonly since?: number;
  };
  /** Hooks report most things earlier and better; what they do not report now is taken from the transcript. */
  readonly hooks: () => 'coming' | 'quiet' | 'none';
  /** Told of each call or turn that has ended and that no hook has reported yet, with the time of its line. */
  readonly unreported?: (at: string | null) => void;
  /** Told of each call and prompt that begins, as the signal that only its hook sends. */
  readonly begun?: (kind: 'call-begun' | 'said', id: string) => void;
};

/**
 * The second source about a session: tokens and cost, context use, what it said, and calls that no hook
 * reported. Every fact carries its position in the file, so a replayed transcript counts nothing twice.
 */
export class TranscriptTail {
  private readonly session: TailedSession;
  private readonly options: TailOptions;
  private readonly lines: LineTail;
  private readonly meter: ModelMeter;

  constructor(session: TailedSession, options: TailOptions) {
    this.session = session;
    this.options = options;
    this.lines = new LineTail(options.file, Math.max(0, options.start.position - WARM_BYTES), options);
    this.meter = new ModelMeter(options.start);
  }

  /** Once the agent has ended, only what it has used still counts. */
  async look(hasEnded = false): Promise<void> {
    const lines = await this.lines.look();
    let length = 0;
    let newest: Promise<void> = Promise.resolve();
    for (const { text, end } of lines) {
      length += text.length + LINE_COST;
      if (length > TURN_LENGTH_MAX) {
        length = 0;
        await newest.catch(() => undefined);
        await nextTurn();
      }
      const facts = this.options.reader.push(parseRecord(text) ?? {});
      // The position may be one short of the end of the last line.
      if (end <= this.options.start.position + 1) continue;
      const signals = facts
        // Subagents have transcripts of their own.
        .filter((fact) => fact.run === this.session.sessionId && !this.isOfAnother(fact))
        .flatMap((fact) => this.signalsOf(fact))
        .filter(({ kind }) => !hasEnded || kind === 'tokens');
      // Several facts of one line have places of their own, the last one at its end.
      for (const [index, signal] of signals.entries())
        newest = this.tell(signal, end - (signals.length - 1 - index));
    }
    await newest;
  }

  /** Not waited for one by one: hundreds of lines are folded together, and in order. */
  private tell(signal: MarkedSignal, seq: number): Promise<void> {
    const told = this.session.tell({ ...signal, channel: TRANSCRIPT_CHANNEL, seq });
    told.catch(() => undefined);
    return told;
  }

  private isOfAnother({ at }: TranscriptFact): boolean {
    const { since } = this.options.start;
    return since !== undefined && !(Date.parse(at ?? '') >= since);
  }

  /** What a message used comes with the line that says so: a crash between the two would lose it. */
  private signalsOf(fact: TranscriptFact): readonly MarkedSignal[] {
    const signal = this.signalOf(fact);
    const others = signal === null ? [] : [signal];
    if (fact.kind !== 'usage') return others;
    this.meter.add(fact.use);
    return [this.meter.signal(fact.contextUse), ...others];
  }

  private signalOf(fact: TranscriptFact): MarkedSignal | null {
    switch (fact.kind) {
      case 'call-begun': {
        const { callId, tool, input } = fact;
        this.options.begun?.('call-begun', callId);
        return this.options.hooks() === 'none' ? { kind: 'call-begun', callId, tool, input } : null;
      }
      case 'call-ended': {
        const { callId, tool, input, isError, text } = fact;
        if (this.session.hasTold(callId)) return null;
        this.options.unreported?.(fact.at);
        const output = clip(fact.output);
        return {
          kind: 'call-ended',
          callId,
          tool,
          input,
          output,
          isError,
          ...(text !== null && { text: clip(text) }),
        };
      }
      case 'said':
        return this.wordsOf(fact);
      case 'usage':
        // While hooks come they say it better, and at once: a late end would end the next turn.
        if (!fact.isEndOfTurn || this.options.hooks() === 'coming') return null;
        this.options.unreported?.(fact.at);
        return { kind: 'turn-ended' };
      case 'compaction':
        return null;
    }
  }

  private wordsOf({ role, text, promptId }: Extract<TranscriptFact, { kind: 'said' }>) {
    if (role === 'assistant') return { kind: 'said', role, text: clip(text) } as const;
    // A prompt that a hook reported has the same id.
    if (role !== 'user' || promptId === null) return null;
    this.options.begun?.('said', promptId);
    return { kind: 'turn-begun', id: promptId } as const;
  }
}
