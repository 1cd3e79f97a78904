import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ClaudeStream } from './output-stream.ts';

/** As Claude Code 2.1.197 printed it, without hooks, when its service said that the limit was reached. */
const recorded = readFileSync(new URL('fixtures/limit-stream.jsonl', import.meta.url), 'utf8');
const records = recorded
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Record<string, unknown>);
const last = records.at(-1) ?? {};
const NOW = Date.UTC(2026, 10, 18, 9, 36, 56);

const hold = { kind: 'hold-begun', hold: 'rate-limited', until: Date.UTC(2026, 10, 18, 12, 37) };
const heard = (text: string) => new ClaudeStream().push(Buffer.from(text), NOW);
const printed = (record: object) => heard(`${JSON.stringify(record)}\n`);

describe('the usage limit in the output of Claude Code', () => {
  it('is in its last record', () => {
    expect(heard(recorded)).toEqual([hold]);
  });

  it('is in its last record, also in one list of all', () => {
    const stream = new ClaudeStream();
    expect(stream.push(Buffer.from(`${JSON.stringify(records)}\n`), NOW)).toEqual([hold]);
    expect(stream.result).toEqual({ isError: true });
  });

  it.each<[string, object]>([
    ['a result that the model wrote', { ...last, is_error: false, api_error_status: null }],
    ['an error that is not of the service', { ...last, api_error_status: null }],
    ['another error of the service', { ...last, result: 'API Error: 429 too many requests' }],
    ['more text beside it', { ...last, result: `It said: ${String(last.result)}` }],
    ['what the model said', { ...records.at(-2), model: 'claude-sonnet-5' }],
  ])('is not in %s', (_what, record) => {
    expect(printed(record)).toEqual([]);
  });
});
