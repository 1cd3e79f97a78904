import type { DurationMs, Instant } from '@holter/core';
import type { DeadManConfig } from '../config/channels.ts';
import type { Clock } from '../engine/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Trouble } from './troubles.ts';

export type PingState = {
  readonly everyMs: DurationMs;
  readonly okAt: Instant | null;
  readonly triedAt: Instant | null;
  /** Tries since it last worked, and what the last one failed with. */
  readonly failures: number;
  readonly failure: string | null;
};

type PingContext = {
  readonly clock: Clock;
  /** What is wrong with Holter. */
  readonly troubles: () => readonly Pick<Trouble, 'kind' | 'says'>[];
  readonly logger: Pick<Logger, 'warn' | 'info'>;
};

const ANSWER_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 2_000;

/**
 * Pings an address outside, in the way of healthchecks.io: GET while Holter is well, POST to `…/fail` with the
 * reasons while it is not. Silence says that the whole machine is gone.
 */
export class DeadManPing {
  private readonly context: PingContext;
  private config: DeadManConfig | null = null;
  private current: Omit<PingState, 'everyMs'> = NOT_TRIED;
  private cancel: () => void = () => undefined;
  private abort = new AbortController();

  constructor(context: PingContext) {
    this.context = context;
  }

  /** Null when there is nobody outside. */
  get state(): PingState | null {
    return this.config && { everyMs: this.config.everyMs, ...this.current };
  }

  /** Begins, changes or ends it. */
  set(config: DeadManConfig | null): void {
    if (config?.url === this.config?.url && config?.everyMs === this.config?.everyMs) return;
    this.stop();
    this.config = config;
    this.current = NOT_TRIED;
    if (config) void this.run(config);
  }

  stop(): void {
    this.cancel();
    this.abort.abort();
    this.abort = new AbortController();
    this.config = null;
  }

  private async run(config: DeadManConfig): Promise<void> {
    const { signal } = this.abort;
    const failure = await this.ping(config);
    if (signal.aborted) return;
    this.note(failure);
    this.cancel = this.context.clock.after(config.everyMs, () => void this.run(config));
  }

  private note(failure: string | null): void {
    const { clock, logger } = this.context;
    const triedAt = clock.now();
    const { failures } = this.current;
    if (failure === null) {
      if (failures > 0) logger.info('the outside ping works again');
      this.current = { okAt: triedAt, triedAt, failures: 0, failure: null };
      return;
    }
    if (failures === 0) logger.warn({ failure }, 'the outside ping failed; it is tried again');
    this.current = { ...this.current, triedAt, failures: failures + 1, failure };
  }

  private ping({ url }: DeadManConfig): Promise<string | null> {
    const { clock, troubles } = this.context;
    // A ping that arrives is the end of that one; and without its model, Holter monitors as before.
    const isTold = ({ kind }: Pick<Trouble, 'kind'>) => kind !== 'ping' && kind !== 'judge';
    const reasons = troubles()
      .filter(isTold)
      .map(({ says }) => says);
    return pingOutside(url, reasons, { clock, signal: this.abort.signal });
  }
}

/** One ping. Null when it was taken, else the reason. The address is a secret and is part of none. */
export async function pingOutside(
  url: string,
  reasons: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | null> {
  const timeout = new AbortController();
  const cancel = clock.after(ANSWER_MS_MAX, () => timeout.abort());
  try {
    const response = await fetch(reasons.length === 0 ? url : failAddress(url), {
      headers: { 'user-agent': 'holter' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
      ...(reasons.length > 0 && { method: 'POST', body: reasons.join('\n').slice(0, REASON_LENGTH_MAX) }),
    });
    await response.body?.cancel();
    return response.ok ? null : `it answered ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
    return timeout.signal.aborted
      ? 'it did not answer in 10 s'
      : `it can't be reached (${code ?? 'no connection'})`;
  } finally {
    cancel();
  }
}

const NOT_TRIED: Omit<PingState, 'everyMs'> = { okAt: null, triedAt: null, failures: 0, failure: null };

function failAddress(url: string): string {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/fail`;
  return address.href;
}
