import { type Instant, instant } from '@holter/core';
import type { Verdict } from '@holter/core/detect';
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../shared/json.ts';
import { type Item, type ReplayFormat, type ReplayReader, runNameOf, stepItem } from '../shared/replay.ts';

/** Hive's `tool_logs.jsonl`: one line per step with its calls and the judge's verdict. No time of its own. */
export const replay: ReplayFormat = {
  matches: (record) => Array.isArray(record.tool_calls) && record.step_index !== undefined,
  open: (file) => new HiveReader(runNameOf(file)),
};

const VERDICTS = new Set(['ACCEPT', 'RETRY', 'ESCALATE', 'CONTINUE', 'COMPACTION']);

class HiveReader implements ReplayReader {
  private readonly known = new Set<string>();
  private readonly fallback: string;

  constructor(fallback: string) {
    this.fallback = fallback;
  }

  push(record: JsonRecord): readonly Item[] {
    const execution = asText(record.execution_id);
    const run = execution === null || execution === '' ? this.fallback : execution;
    const items: Item[] = [];
    if (!this.known.has(run)) {
      this.known.add(run);
      items.push({ kind: 'run', run, agent: 'hive', outcome: null });
    }
    const verdict = asText(record.verdict) ?? '';
    if (verdict === 'COMPACTION') items.push(stepItem(run, { kind: 'compaction' }));
    else items.push(...steps(record, run));
    if (VERDICTS.has(verdict)) items.push({ kind: 'verdict', run, verdict: verdict as Verdict });
    return items;
  }

  end(): readonly Item[] {
    return [];
  }
}

function steps(record: JsonRecord, run: string): Item[] {
  const calls = asList(record.tool_calls).map(asRecord);
  const text = asText(record.llm_text);
  const used = { in: asNumber(record.input_tokens) ?? 0, out: asNumber(record.output_tokens) ?? 0 };
  if (calls.length === 0) return [stepItem(run, { kind: 'message', text: text ?? '', tokens: used })];
  return calls.map((call, index) =>
    stepItem(run, {
      kind: 'tool',
      at: endOf(call),
      tool: asText(call.tool_name) ?? '',
      input: call.tool_input ?? null,
      output: typeof call.result === 'string' ? call.result : JSON.stringify(call.result ?? null),
      error: call.is_error === true,
      text: index === 0 ? text : null,
      tokens: index === 0 ? used : null,
    }),
  );
}

function endOf(call: JsonRecord): Instant | null {
  const start = call.start_timestamp;
  const ms = typeof start === 'number' ? start * 1_000 : Date.parse(asText(start) ?? '');
  if (Number.isNaN(ms) || ms === 0) return null;
  return instant(ms + (asNumber(call.duration_s) ?? 0) * 1_000);
}
