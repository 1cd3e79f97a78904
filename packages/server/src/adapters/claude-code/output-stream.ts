import { type Instant, instant, type SignalBody } from '@holter/core';
import { parseRecord } from '../shared/json.ts';

/** A longer line is a picture; nothing of it is needed. */
const LINE_BYTES_MAX = 1024 * 1024;
/** The retry itself takes a moment; a hold that ends too early would be a false alarm's beginning. */
const AFTER_RETRY_MS = 2_000;

/**
 * Claude Code's `--output-format stream-json`, as far as nothing else says it: that the service makes it wait,
 * and how it all ended.
 */
export class ClaudeStream {
  private rest = '';
  private isWaiting = false;
  /** The last record: null until there is one. */
  result: { readonly isError: boolean } | null = null;

  push(bytes: Buffer, now: number): readonly SignalBody[] {
    const lines = (this.rest + bytes.toString('utf8')).split('\n');
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LINE_BYTES_MAX) this.rest = '';
    return lines.flatMap((line) => this.read(line, now));
  }

  /** A result without a newline behind it is whole all the same (`--output-format json`). */
  finish(): void {
    this.read(this.rest, 0);
    this.rest = '';
  }

  private read(line: string, now: number): readonly SignalBody[] {
    if (!line.startsWith('{')) return [];
    const { type, subtype, is_error, retry_delay_ms } = parseRecord(line) ?? {};
    if (type === 'result') this.result = { isError: is_error === true || subtype !== 'success' };
    if (type === 'system' && subtype === 'api_retry') {
      this.isWaiting = true;
      const delayMs = typeof retry_delay_ms === 'number' ? retry_delay_ms : 0;
      const until: Instant = instant(now + delayMs + AFTER_RETRY_MS);
      return [{ kind: 'hold-begun', hold: 'rate-limited', until }];
    }
    if (!this.isWaiting || type !== 'assistant') return [];
    this.isWaiting = false;
    return [{ kind: 'hold-ended', hold: 'rate-limited' }];
  }
}
