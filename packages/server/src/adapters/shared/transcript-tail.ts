import type { SignalBody } from '@holter/core';
import { clip, type MarkedSignal } from './hooks.ts';
import { parseRecord } from './json.ts';
import { LineTail, type LineTailOptions } from './line-tail.ts';
import type { TranscriptFact, TranscriptReader } from './transcript.ts';

export const TRANSCRIPT_CHANNEL = 'transcript';

/** So much is parsed before other work gets its turn and what was told is stored; each line costs extra. */
const TURN_LENGTH_MAX = 256 * 1024;
const LINE_COST = 500;

let turns: Promise<unknown> = Promise.resolve();

/** All transcripts share the turns: many long ones together take no more at a time than one. */
function nextTurn(): Promise<unknown> {
  turns = turns.then(() => new Promise(setImmediate));
  return turns;
}

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
  readonly start: {
    readonly position: number;
    readonly tokens: number;
    readonly costUsd: number;
    /** Lines from before belong to another incarnation; absent where the position says so. */
    readonly since?: number;
  };
  /** Hooks report most things earlier and better; what they do not report now is taken from the transcript. */
  readonly hooks: () => 'coming' | 'quiet' | 'none';
  /** Told of each call or turn that has ended and that no hook has reported yet, with the time of its line. */
  readonly unreported?: (at: string | null) => void;
};

/**
 * The second source about a session: tokens and cost, context use, what it said, and calls that no hook
 * reported. Every fact carries its position in the file, so a replayed transcript counts nothing twice.
 */
export class TranscriptTail {
  private readonly session: TailedSession;
  private readonly options: TailOptions;
  private readonly lines: LineTail;
  private tokens: number;
  private costUsd: number;

  constructor(session: TailedSession, options: TailOptions) {
    this.session = session;
    this.options = options;
    this.lines = new LineTail(options.file, options.start.position, options);
    this.tokens = options.start.tokens;
    this.costUsd = options.start.costUsd;
  }

  async look(): Promise<void> {
    const lines = await this.lines.look();
    let meter: SignalBody | null = null;
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
      for (const [index, fact] of facts.entries()) {
        // Subagents have transcripts of their own.
        if (fact.run !== this.session.sessionId || this.isOfAnother(fact)) continue;
        if (fact.kind === 'usage') meter = this.meter(fact);
        const signal = this.signalOf(fact);
        // Several facts of one line have places of their own, the last one at its end.
        if (signal) newest = this.tell(signal, end - (facts.length - 1 - index));
      }
    }
    const last = lines.at(-1);
    if (meter && last) await this.tell(meter, last.end + 1);
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

  /** Running totals: the newest says it all, so one look says it once. */
  private meter({ usage, costUsd, contextUse }: Extract<TranscriptFact, { kind: 'usage' }>): SignalBody {
    this.tokens += usage.in + usage.out;
    this.costUsd += costUsd;
    return { kind: 'tokens', total: this.tokens, costUsd: this.costUsd, contextUse };
  }

  private signalOf(fact: TranscriptFact): MarkedSignal | null {
    switch (fact.kind) {
      case 'call-begun': {
        const { callId, tool, input } = fact;
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
    return role === 'user' && promptId !== null ? ({ kind: 'turn-begun', id: promptId } as const) : null;
  }
}
