import type { Instant } from '@holter/core';
import { asList, asNumber, asRecord, asText, type JsonRecord } from '../shared/json.ts';
import { OpenCalls, SeenIds } from '../shared/open-calls.ts';
import {
  type Item,
  type ReplayFormat,
  type ReplayReader,
  runNameOf,
  stepItem,
  timeOf,
} from '../shared/replay.ts';
import type { Usage } from '../shared/transcript.ts';

/**
 * A Codex rollout: `response_item` lines with calls, their outputs and messages, one thread per file. The
 * exit code stands only in the text of the output, above it a header that changes with every call.
 */
export const replay: ReplayFormat = {
  matches: (record) => TYPES.has(String(record.type)) && typeof record.payload === 'object',
  open: (file) => new CodexReader(runNameOf(file)),
};

const TYPES = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
]);
const HEADER = /^(?:Chunk ID: |Wall time: |Exit code: )[\s\S]{0,400}?\n(?:Output|Stdout):\n/;
const EXIT = /(?:Process exited with code|Exit code:?) (-?\d+)/;

type OpenCall = { readonly tool: string; readonly input: unknown; readonly text: string | null };

class CodexReader implements ReplayReader {
  private run: string;
  private isKnown = false;
  private readonly open = new OpenCalls<OpenCall>();
  private readonly seen = new SeenIds();
  private pending: { readonly text: string; readonly at: Instant | null } | null = null;
  private totals: Usage | null = null;
  private unspent: Usage | null = null;

  constructor(fallback: string) {
    this.run = fallback;
  }

  push(record: JsonRecord): readonly Item[] {
    const payload = asRecord(record.payload);
    const items: Item[] = [];
    if (record.type === 'session_meta') this.run = asText(payload.id) ?? this.run;
    if (!this.isKnown) {
      this.isKnown = true;
      items.push({ kind: 'run', run: this.run, agent: 'codex', outcome: null });
    }
    const at = timeOf(record.timestamp);
    if (record.type === 'compacted')
      items.push(...this.flush(), stepItem(this.run, { kind: 'compaction', at }));
    else if (record.type === 'event_msg' && payload.type === 'token_count') this.count(payload);
    else if (record.type === 'response_item') items.push(...this.item(payload, at));
    return items;
  }

  end(): readonly Item[] {
    return this.flush();
  }

  private flush(): Item[] {
    const pending = this.pending;
    this.pending = null;
    return pending === null
      ? []
      : [stepItem(this.run, { kind: 'message', at: pending.at, text: pending.text })];
  }

  private item(payload: JsonRecord, at: Instant | null): Item[] {
    switch (payload.type) {
      case 'message':
        return this.message(payload, at);
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call': {
        const input = payload.arguments ?? payload.input ?? payload.action ?? null;
        const call = {
          tool: asText(payload.name) ?? 'shell',
          input: parsed(input),
          text: this.pending?.text ?? null,
        };
        this.pending = null;
        this.open.begin(asText(payload.call_id) ?? '', call);
        return [];
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.result(payload, at);
      default:
        return [];
    }
  }

  private message(payload: JsonRecord, at: Instant | null): Item[] {
    const id = asText(payload.id);
    if (id !== null && !this.seen.add(id)) return [];
    const text = asList(payload.content)
      .map((part) => asText(asRecord(part).text) ?? '')
      .join('\n');
    const items = this.flush();
    if (payload.role === 'assistant') this.pending = { text, at };
    else {
      const isHarness = payload.role !== 'user' || /^\s*</.test(text);
      items.push(stepItem(this.run, { kind: isHarness ? 'system' : 'user', at, text }));
    }
    return items;
  }

  private result(payload: JsonRecord, at: Instant | null): Item[] {
    const id = asText(payload.call_id) ?? '';
    const call = this.open.take(id);
    if (call === null) return [];
    const { output, exitCode } = readOutput(payload.output);
    const tokens = this.unspent;
    this.unspent = null;
    return [
      stepItem(this.run, {
        kind: 'tool',
        at,
        ...call,
        tokens,
        output,
        error: exitCode === null ? null : exitCode !== 0,
      }),
    ];
  }

  private count(payload: JsonRecord): void {
    const usage = asRecord(asRecord(payload.info).total_token_usage);
    const totals = {
      in: asNumber(usage.input_tokens) ?? 0,
      out: asNumber(usage.output_tokens) ?? 0,
      cached: asNumber(usage.cached_input_tokens) ?? 0,
    };
    const before = this.totals ?? noUsage;
    const unspent = this.unspent ?? noUsage;
    this.totals = totals;
    const more = (kind: keyof Usage): number => unspent[kind] + Math.max(0, totals[kind] - before[kind]);
    this.unspent = { in: more('in'), out: more('out'), cached: more('cached') };
  }
}

const noUsage: Usage = { in: 0, out: 0, cached: 0 };

/** Older rollouts wrap it: `{"output": "…", "metadata": {"exit_code": 1}}`. */
function readOutput(value: unknown): { output: string; exitCode: number | null } {
  const unwrapped = typeof value === 'string' && value.startsWith('{') ? parsed(value) : value;
  if (typeof unwrapped === 'object' && unwrapped !== null) {
    const record = asRecord(unwrapped);
    const exitCode = asNumber(asRecord(record.metadata).exit_code);
    return {
      output: asText(record.output) ?? asText(record.content) ?? JSON.stringify(unwrapped),
      exitCode,
    };
  }
  const text = typeof value === 'string' ? value : '';
  const exit = EXIT.exec(text.slice(0, 400));
  return { output: text.replace(HEADER, ''), exitCode: exit === null ? null : Number(exit[1]) };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
