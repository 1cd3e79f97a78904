import type { Signal } from '@holter/core';
import { contract } from '../audit/contract.ts';

type CallEnded = Extract<Signal, { kind: 'call-ended' }>;

/** Failures count within so many calls. */
const WINDOW = 16;

/**
 * The calls of one incarnation, counted a second time by what docs/detection.md promises: the same call with
 * the same result in a row, fast ones and spaced ones apart; and failures of one tool with nothing new in
 * between. Only what simulated agents do is told apart here; none of them paraphrases.
 */
export class Repeats {
  private call = '';
  private result = '';
  private since = 0;
  /** NaN before the first call, which has no pace. */
  private lastAt = Number.NaN;
  private callCount = 0;
  /** The calls of each kind of failure since something last worked, and how many there were before them. */
  private readonly failing = new Map<string, { calls: readonly number[]; count: number }>();
  /** Occurrences of the present call, the first included: at a loop's pace, and at that of waiting. */
  private hasty = 0;
  private spaced = 0;
  /** Failures of the kind that came last, with ever different arguments: within the window, and in all. */
  private recentFailures = 0;
  private failures = 0;

  note({ tool, input, output = '', isError }: CallEnded, at: number): void {
    const call = `${tool} ${JSON.stringify(input)}`;
    const isSpaced = at - this.lastAt >= contract.loop.spacedMs;
    if (call === this.call && output === this.result) {
      if (isSpaced) this.spaced++;
      else this.hasty++;
    } else {
      this.call = call;
      this.result = output;
      this.since = at;
      this.hasty = 1;
      this.spaced = 1;
    }
    this.lastAt = at;
    this.callCount++;
    this.failures = 0;
    this.recentFailures = 0;
    if (isError) this.noteFailure(`${tool} ${kindOf(output)}`, isSpaced);
    else this.failing.clear();
  }

  private noteFailure(failure: string, isSpaced: boolean): void {
    const before = this.failing.get(failure) ?? { calls: [], count: 0 };
    const recent = before.calls.filter((call) => this.callCount - call <= WINDOW);
    const calls = isSpaced ? recent : [...recent, this.callCount];
    this.recentFailures = calls.length;
    this.failures = (recent.length === 0 ? 0 : before.count) + (isSpaced ? 0 : 1);
    this.failing.set(failure, { calls, count: this.failures });
  }

  isLooping(kind: string): boolean {
    switch (kind) {
      case 'repeated-call':
        return this.hasty >= contract.loop.repeatsAct;
      case 'unchanged-poll':
        return (
          this.spaced >= contract.loop.pollsAct && this.lastAt - this.since >= contract.loop.pollsActAfterMs
        );
      case 'same-error':
        return this.recentFailures >= contract.loop.failuresAct;
      default:
        return false;
    }
  }

  /** How far the loop has gone, if it is one. */
  get count(): number {
    const repeats =
      this.isLooping('repeated-call') || this.isLooping('unchanged-poll') ? this.hasty + this.spaced - 1 : 0;
    return Math.max(repeats, this.isLooping('same-error') ? this.failures : 0);
  }
}

/** An error without the file or the word that it is about. */
const kindOf = (output: string): string => output.replace(/src\/\w+\.ts|'[a-z]{6}'$/g, '');

/** The loop findings that this fleet can earn. */
export const LOOP_KINDS = ['repeated-call', 'unchanged-poll', 'same-error'] as const;
