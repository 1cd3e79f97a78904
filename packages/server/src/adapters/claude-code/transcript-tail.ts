import type { SignalBody } from '@holter/core';
import type { LiveSession } from './hook-sessions.ts';
import { clip, type SignalMark } from './hook-signals.ts';
import { LineTail, type TailedLine } from './line-tail.ts';
import { costUsdOf, windowOf } from './model-price.ts';
import { type TranscriptFact, TranscriptReader } from './transcript.ts';

export const TRANSCRIPT_CHANNEL = 'transcript';

/** Where to begin: where an earlier look left off, by the agent's record, so that it survives Holter. */
type TailStart = {
  readonly position: number;
  readonly tokens: number;
  readonly costUsd: number;
};

/**
 * The second source about a session: tokens and cost, context use, what it said, and calls that no hook told
 * of. Every fact carries its position in the file, so a replayed transcript counts nothing twice.
 */
export class TranscriptTail {
  private readonly session: LiveSession;
  private readonly lines: LineTail;
  private readonly reader: TranscriptReader;
  private readonly isQuiet: () => boolean;
  private tokens: number;
  private costUsd: number;

  /** `isQuiet`: no hook has come for a while, so what ends a turn is said here. */
  constructor(session: LiveSession, file: string, start: TailStart, isQuiet: () => boolean) {
    this.session = session;
    this.lines = new LineTail(file, start.position);
    this.reader = new TranscriptReader(session.sessionId);
    this.isQuiet = isQuiet;
    this.tokens = start.tokens;
    this.costUsd = start.costUsd;
  }

  async look(): Promise<void> {
    const lines = await this.lines.look();
    let meter: SignalBody | null = null;
    for (const line of lines) {
      const facts = this.reader.push(parse(line));
      for (const [index, fact] of facts.entries()) {
        // Helpers have transcripts of their own.
        if (fact.run !== this.session.sessionId) continue;
        if (fact.kind === 'usage') meter = this.meter(fact);
        const signal = this.signalOf(fact);
        // Several facts of one line have places of their own, the last one at its end.
        if (signal) void this.tell(signal, line.end - (facts.length - 1 - index));
      }
    }
    const last = lines.at(-1);
    if (meter && last) await this.tell(meter, last.end + 1);
  }

  /** Not waited for in between: a thousand lines are folded together, and in order. */
  private tell(signal: SignalBody & SignalMark, seq: number): Promise<void> {
    const told = this.session.tell({ ...signal, channel: TRANSCRIPT_CHANNEL, seq });
    told.catch(() => undefined);
    return told;
  }

  /** Running totals: the newest says it all, so one look says it once. */
  private meter({ usage, model }: Extract<TranscriptFact, { kind: 'usage' }>): SignalBody {
    this.tokens += usage.in + usage.out;
    this.costUsd += costUsdOf(model, usage);
    return {
      kind: 'tokens',
      total: this.tokens,
      costUsd: this.costUsd,
      contextUse: Math.min(1, usage.in / windowOf(model)),
    };
  }

  private signalOf(fact: TranscriptFact): (SignalBody & SignalMark) | null {
    switch (fact.kind) {
      case 'call-ended': {
        const { callId, tool, input, isError, text } = fact;
        if (this.session.hasTold(callId)) return null;
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
        return fact.isEndOfTurn && this.isQuiet() ? { kind: 'turn-ended' } : null;
      case 'call-begun':
      case 'compaction':
        return null;
    }
  }

  private wordsOf({ role, text, promptId }: Extract<TranscriptFact, { kind: 'said' }>) {
    if (role === 'assistant') return { kind: 'said', role, text: clip(text) } as const;
    // A prompt that a hook told of has the same id.
    return role === 'user' && promptId !== null ? ({ kind: 'turn-begun', id: promptId } as const) : null;
  }
}

function parse({ text }: TailedLine): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
