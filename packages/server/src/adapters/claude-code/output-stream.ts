import { type Instant, instant, type SignalBody } from '@holter/core';
import { asText, isRecord, type JsonRecord, parseList, parseRecord } from '../shared/json.ts';
import { limitResetOf } from './usage-limit.ts';

/** A longer line is a picture; nothing of it is needed. */
const LINE_BYTES_MAX = 1024 * 1024;
/** The retry itself takes a moment; a hold that ends too early would be a false alarm's beginning. */
const AFTER_RETRY_MS = 2_000;

/**
 * Claude Code's `--output-format stream-json` or `json`, as far as nothing else says it: that the service makes it
 * wait, and how it all ended, also at a usage limit where hooks are switched off.
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
    if (line.startsWith('{')) return this.take(parseRecord(line) ?? {}, now);
    // `json` with `--verbose` is one list of all records.
    if (!line.startsWith('[')) return [];
    return parseList(line).flatMap((each) => (isRecord(each) ? this.take(each, now) : []));
  }

  private take(record: JsonRecord, now: number): readonly SignalBody[] {
    const { type, subtype, is_error, retry_delay_ms } = record;
    if (type === 'result') {
      this.result = { isError: is_error === true || subtype !== 'success' };
      return limitSaid(record, now);
    }
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

/** In a result that failed at the service, the text is the CLI's own; otherwise it is the model's. */
function limitSaid({ is_error, api_error_status, result }: JsonRecord, now: number): readonly SignalBody[] {
  if (is_error !== true || api_error_status !== 429) return [];
  const until = limitResetOf(asText(result) ?? '', instant(now));
  return until === null ? [] : [{ kind: 'hold-begun', hold: 'rate-limited', until }];
}
