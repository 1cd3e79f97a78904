import { checkSignal, type SignalBody } from '@holter/core';
import type { Rejections } from './rejections.ts';

type Letter = { readonly json: string; readonly kind: string };

type Batch = {
  /** The signals as JSON, with commas between them. */
  readonly body: string;
  readonly kinds: readonly string[];
  /** The position of its end in the sequence of all signals ever written. */
  readonly end: number;
};

/** The size of one request: half of what the server allows, so that other encodings fit too. */
const BATCH_SIGNALS_MAX = 100;
const BATCH_CHARACTERS_MAX = 256 * 1_024;

type OutboxLimits = { readonly signalsMax: number; readonly charactersMax: number };

/**
 * Signals on their way to the server. They are serialized immediately, since the host may change its objects.
 * The queue is bounded: when the server is away for long, the oldest are dropped and counted.
 */
export class Outbox {
  dropped = 0;
  private readonly letters: Letter[] = [];
  private characters = 0;
  /** How many have left the queue at its front, sent or dropped. */
  private gone = 0;
  private nextSeq = 1;
  private readonly agentId: string;
  private readonly instanceId: string;
  /**
   * The server takes the signals of a channel in order and drops those that it already has: a batch whose answer was
   * lost counts once when it is sent again. Each client counts from 1, so each has its own channel.
   */
  private readonly channel: string;
  private readonly limits: OutboxLimits;
  private readonly rejections: Rejections;

  constructor(agentId: string, instanceId: string, limits: OutboxLimits, rejections: Rejections) {
    this.agentId = agentId;
    this.instanceId = instanceId;
    this.channel = `client:${instanceId.slice(0, 8)}`;
    this.limits = limits;
    this.rejections = rejections;
  }

  get size(): number {
    return this.letters.length;
  }

  /** Checks the signal by the server's own rules, so that an invalid one is refused here and not in a batch. */
  put(signal: SignalBody, id?: string): void {
    const checked = checkSignal({
      agentId: this.agentId,
      id: id ?? `${this.instanceId}:${this.nextSeq}`,
      channel: this.channel,
      seq: this.nextSeq,
      ...signal,
    });
    this.nextSeq += 1;
    if (checked.kind === 'bad-signal') {
      this.rejections.add(signal.kind, checked.code, checked.message);
      return;
    }
    const { agentId: _agentId, ...rest } = checked.signal;
    const letter = { json: JSON.stringify(rest), kind: signal.kind };
    this.letters.push(letter);
    this.characters += letter.json.length;
    while (this.letters.length > this.limits.signalsMax || this.characters > this.limits.charactersMax) {
      this.discardTo(this.gone + 1);
      this.dropped += 1;
    }
  }

  /** The oldest signals, up to one request; they stay queued until they are discarded. */
  batch(countMax = BATCH_SIGNALS_MAX): Batch {
    const chosen: Letter[] = [];
    let characters = 0;
    for (const letter of this.letters.slice(0, countMax)) {
      characters += letter.json.length;
      if (chosen.length > 0 && characters > BATCH_CHARACTERS_MAX) break;
      chosen.push(letter);
    }
    return {
      body: chosen.map(({ json }) => json).join(','),
      kinds: chosen.map(({ kind }) => kind),
      end: this.gone + chosen.length,
    };
  }

  /** Some of a batch may have been dropped while it was on its way. */
  discardTo(end: number): void {
    const count = Math.max(0, end - this.gone);
    for (const { json } of this.letters.splice(0, count)) this.characters -= json.length;
    this.gone += count;
  }
}
