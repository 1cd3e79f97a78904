import { refusedWithoutStore } from '@holter/core';
import type { Verdict } from './replies.ts';

/** Whether a guarded call may be made. */
type BreakerAnswer =
  | { readonly kind: 'permit'; readonly generation: number; readonly permitId: number }
  | { readonly kind: 'refused'; readonly because: string; readonly retryAt: number }
  /** The server did not answer in time: the call is made, except for `recovery_attempt`. */
  | { readonly kind: 'unasked' };

/** A guarded tool was not called, because its breaker is open. */
export class BreakerOpenError extends Error {
  override readonly name = 'BreakerOpenError';
  readonly code = 'breaker_open';
  readonly breaker: string;
  /** Milliseconds since 1970, by the clock of the server; 0 when the server did not answer. */
  readonly retryAt: number;

  constructor(breaker: string, because: string, retryAt: number) {
    super(`the breaker ${breaker} lets no call through: ${because}`);
    this.breaker = breaker;
    this.retryAt = retryAt;
  }
}

/** How long a guarded call waits for its permit at most. */
const ASK_MS_MAX = 500;

type AskOptions = { readonly timeoutMs: number; readonly isBackground: boolean };
type Ask = (path: string, body: string, options: AskOptions) => Promise<Verdict> | null;

/** The breakers that the callers of one agent share. Their state is in the server, so they open for all at once. */
export class Breakers {
  private readonly ask: Ask;
  private readonly now: () => number;
  /** The newest answer that is valid for all callers, by breaker. */
  private readonly kept = new Map<string, { readonly answer: BreakerAnswer; readonly at: number }>();

  constructor(ask: Ask, now: () => number) {
    this.ask = ask;
    this.now = now;
  }

  /** If the last answer is at most `staleMs` old it is used again, without a request. */
  async acquire(name: string, staleMs = 0): Promise<BreakerAnswer> {
    const kept = this.kept.get(name);
    if (kept !== undefined && staleMs > 0 && this.now() - kept.at <= staleMs) return kept.answer;
    const verdict = await this.ask(pathOf(name, 'acquire'), '{}', {
      timeoutMs: ASK_MS_MAX,
      isBackground: false,
    });
    this.kept.delete(name);
    if (verdict?.kind !== 'taken' || !Array.isArray(verdict.body.answers)) return { kind: 'unasked' };
    const answer = readAnswer(verdict.body.answers[0]);
    if (isForAll(answer)) this.kept.set(name, { answer, at: this.now() });
    return answer;
  }

  /** Reports without waiting. If the report is lost, its permit expires. */
  report(name: string, answer: BreakerAnswer, outcome: 'success' | 'failure', startedAt: number): void {
    if (answer.kind !== 'permit') return;
    const { generation, permitId } = answer;
    const body = JSON.stringify({ generation, permitId, durationMs: Math.max(0, this.now() - startedAt) });
    // The cached answer is out of date once a report has opened the breaker.
    const options = { timeoutMs: 20 * ASK_MS_MAX, isBackground: true };
    void this.ask(pathOf(name, outcome), body, options)?.then((verdict) => {
      if (verdict.kind === 'taken' && stateIn(verdict.body.breaker) !== 'CLOSED') this.kept.delete(name);
    });
  }

  /** Wraps a function in a breaker. The result is a promise, because the breaker is asked first. */
  guard<This, Args extends unknown[], Result>(
    name: string,
    run: (this: This, ...args: Args) => Result,
    staleMs = 0,
  ): (this: This, ...args: Args) => Promise<Awaited<Result>> {
    const breakers = this;
    return async function (this: This, ...args: Args): Promise<Awaited<Result>> {
      const answer = await breakers.acquire(name, staleMs);
      if (answer.kind === 'refused') throw new BreakerOpenError(name, answer.because, answer.retryAt);
      // A call to a service does little harm; starting an agent without the server knowing it does.
      if (answer.kind === 'unasked' && refusedWithoutStore.includes(name))
        throw new BreakerOpenError(name, 'the server could not be asked', 0);
      const startedAt = breakers.now();
      try {
        const result = await run.apply(this, args);
        breakers.report(name, answer, 'success', startedAt);
        return result;
      } catch (error) {
        breakers.report(name, answer, 'failure', startedAt);
        throw error;
      }
    };
  }
}

/** A closed breaker lets every call pass and an open one none: these answers are valid for the next caller too. */
const isForAll = (answer: BreakerAnswer): boolean =>
  answer.kind === 'permit'
    ? answer.permitId === 0
    : answer.kind === 'refused' && answer.because !== 'half-open';

const stateIn = (breaker: unknown): unknown => (breaker as { state?: unknown } | undefined)?.state;

const pathOf = (name: string, word: string): string => `breakers/${encodeURIComponent(name)}/${word}`;

function readAnswer(value: unknown): BreakerAnswer {
  const { kind, generation, permitId, because, retryAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'refused') return { kind, because: String(because), retryAt: Number(retryAt) };
  if (kind === 'permit') return { kind, generation: Number(generation), permitId: Number(permitId) };
  return { kind: 'unasked' };
}
