import { type HealthState, type Instant, instant } from '@holter/core';
import { STRIP_MS } from '../../store/store.ts';

/** One hour in half minutes: fine enough to see a beat go missing, coarse enough to keep for every agent. */
export const BIN_MS = 30_000;
export const BINS = STRIP_MS / BIN_MS;

/** Beside these, 0 says that nothing is on record. */
const STATE_CODES: Readonly<Record<HealthState, number>> = {
  HEALTHY: 1,
  DEGRADED: 2,
  STUCK: 3,
  FAILING: 4,
  TERMINATED: 5,
};

/** Where a printable character begins that is no control character; a bin's number is added to it. */
const LETTER_BASE = 0x30;
const COUNT_MAX = 3;
const RATE_BINS = 10;

const binOf = (at: Instant): number => Math.floor(at / BIN_MS);

/** The half minute that holds `at`. */
export const binStart = (at: Instant): Instant => instant(binOf(at) * BIN_MS);

/** What is counted in one half minute. */
export type BinCounts = readonly [beats: number, calls: number, errors: number, tokens: number];

/**
 * The last hour of one agent as a strip of paper: beats, calls, errors, tokens and the worst state of each
 * half minute. Bounded, and nobody's truth: it is for eyes.
 */
export class Pulse {
  private readonly beats = new Uint8Array(BINS);
  private readonly calls = new Uint8Array(BINS);
  private readonly errors = new Uint8Array(BINS);
  private readonly states = new Uint8Array(BINS);
  private readonly tokens = new Float32Array(BINS);
  private head: number;
  private state = 0;
  private tokenTotal: number | null = null;

  constructor(at: Instant) {
    this.head = binOf(at);
  }

  beat(at: Instant): void {
    this.count(this.beats, at);
  }

  call(at: Instant, isError: boolean): void {
    this.count(this.calls, at);
    if (isError) this.count(this.errors, at);
  }

  error(at: Instant): void {
    this.count(this.errors, at);
  }

  /** The total so far; only what was added while somebody looked is on the strip. */
  tokensAre(total: number, at: Instant): void {
    const before = this.tokenTotal;
    this.tokenTotal = total;
    if (before === null || total <= before) return;
    const slot = this.slotAt(at);
    if (slot !== null) this.tokens[slot] = (this.tokens[slot] ?? 0) + (total - before);
  }

  stateIs(state: HealthState, at: Instant): void {
    const slot = this.slotAt(at);
    this.state = STATE_CODES[state];
    if (slot === null) return;
    const worst = this.states[slot] ?? 0;
    // The end of a life is not worse than its failing, but it is what remains.
    if (this.state === STATE_CODES.TERMINATED || this.state > worst) this.states[slot] = this.state;
  }

  /** From `at` on it was in this state, as far as anybody knows: changes are recalled in their order. */
  recall(state: HealthState, at: Instant): void {
    const bin = binOf(at);
    const code = STATE_CODES[state];
    for (let next = Math.max(bin, this.oldest); next <= this.head; next += 1) {
      const slot = next % BINS;
      // In its own half minute the worse of the two is shown, as if somebody had looked on.
      this.states[slot] = next === bin ? Math.max(code, this.states[slot] ?? 0) : code;
    }
  }

  /** Nobody looked, so nothing is known of the half minutes that lie in there as a whole. */
  blank(from: Instant, to: Instant): void {
    const [first, end] = [Math.ceil(from / BIN_MS), binOf(to)];
    for (let bin = Math.max(first, this.oldest); bin < Math.min(end, this.head); bin += 1)
      this.states[bin % BINS] = 0;
  }

  /** Null when nothing was counted, or when it is not on the strip any more. */
  countsAt(at: Instant): BinCounts | null {
    const bin = binOf(at);
    if (bin < this.oldest || bin > this.head) return null;
    const read = (from: Uint8Array | Float32Array): number => from[bin % BINS] ?? 0;
    const counts: BinCounts = [read(this.beats), read(this.calls), read(this.errors), read(this.tokens)];
    return counts.some((count) => count > 0) ? counts : null;
  }

  /** Counts that another server, or an earlier start of this one, has on record. */
  add([beats, calls, errors, tokens]: BinCounts, at: Instant): void {
    const bin = binOf(at);
    if (bin < this.oldest || bin > this.head) return;
    const slot = bin % BINS;
    const sum = (to: Uint8Array, count: number): void => {
      to[slot] = Math.min(255, (to[slot] ?? 0) + count);
    };
    sum(this.beats, beats);
    sum(this.calls, calls);
    sum(this.errors, errors);
    this.tokens[slot] = (this.tokens[slot] ?? 0) + tokens;
  }

  tokensPerMinute(at: Instant): number {
    this.advance(binOf(at));
    let sum = 0;
    for (let back = 0; back < RATE_BINS; back += 1) sum += this.tokens[(this.head - back) % BINS] ?? 0;
    return Math.round(sum / ((RATE_BINS * BIN_MS) / 60_000));
  }

  errorsWithinHour(at: Instant): number {
    this.advance(binOf(at));
    return this.errors.reduce((sum, count) => sum + count, 0);
  }

  /** Oldest first, one letter for each bin; the last one is the bin of `at`. */
  letters(at: Instant): string {
    this.advance(binOf(at));
    let text = '';
    for (const slot of this.slots()) text += String.fromCharCode(LETTER_BASE + this.code(slot));
    return text;
  }

  /** The same as numbers, for the time axis of one agent. */
  table(at: Instant): {
    readonly beats: number[];
    readonly calls: number[];
    readonly errors: number[];
    readonly tokens: number[];
    readonly states: number[];
  } {
    this.advance(binOf(at));
    const slots = [...this.slots()];
    const read = (from: Uint8Array | Float32Array): number[] => slots.map((slot) => from[slot] ?? 0);
    return {
      beats: read(this.beats),
      calls: read(this.calls),
      errors: read(this.errors),
      tokens: read(this.tokens),
      states: read(this.states),
    };
  }

  private get oldest(): number {
    return this.head - BINS + 1;
  }

  private code(slot: number): number {
    const beats = Math.min(COUNT_MAX, this.beats[slot] ?? 0);
    const calls = Math.min(COUNT_MAX, this.calls[slot] ?? 0);
    const hasError = (this.errors[slot] ?? 0) > 0 ? 1 : 0;
    return (this.states[slot] ?? 0) * 32 + hasError * 16 + calls * 4 + beats;
  }

  private *slots(): Generator<number> {
    for (let back = BINS - 1; back >= 0; back -= 1) yield (((this.head - back) % BINS) + BINS) % BINS;
  }

  private count(counts: Uint8Array, at: Instant): void {
    const slot = this.slotAt(at);
    if (slot !== null) counts[slot] = Math.min(255, (counts[slot] ?? 0) + 1);
  }

  /** Null for what is older than the strip. */
  private slotAt(at: Instant): number | null {
    const bin = binOf(at);
    this.advance(bin);
    return bin > this.head - BINS ? bin % BINS : null;
  }

  /** Paper moves on by itself; what is not heard stays blank, and the state stays what it was. */
  private advance(bin: number): void {
    if (bin <= this.head) return;
    for (let next = Math.max(this.head + 1, bin - BINS + 1); next <= bin; next += 1) {
      const slot = next % BINS;
      this.beats[slot] = 0;
      this.calls[slot] = 0;
      this.errors[slot] = 0;
      this.tokens[slot] = 0;
      this.states[slot] = this.state;
    }
    this.head = bin;
  }
}
