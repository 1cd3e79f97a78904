import { basename } from 'node:path';
import { type Instant, instant } from '@holter/core';
import type { AgentStep } from '@holter/core/detect';
import { asList, asNumber, asRecord, asText, type Format, type FormatReader, type Item } from '../item.ts';
import { OpenCalls, SeenIds } from './open-calls.ts';

/**
 * A Claude Code transcript: one line per content block. Text that comes with a call (same message id) is
 * its thought; text that does not is a message. `attachment` lines hold what hooks said, Holter's own
 * nudges among them: they are not the agent's words and are left out. Side chains (helpers that the agent
 * started) are runs of their own.
 */
export const claudeCode: Format = {
  name: 'claude-code',
  matches: (record) => typeof record.sessionId === 'string' && typeof record.type === 'string',
  open: (file) => new ClaudeReader(basename(file).replace(/\.jsonl$/, '')),
};

type Pending = {
  readonly run: string;
  readonly messageId: string;
  text: string;
  readonly at: Instant | null;
};
type Tokens = { readonly in: number; readonly out: number };

/** What the harness writes in the user's name. */
const HARNESS =
  /^\s*(?:<(?:command-|local-command|system-reminder|bash-)|Caveat: |\[Request interrupted|Stop hook feedback)/;

class ClaudeReader implements FormatReader {
  private readonly known = new Set<string>();
  private readonly open = new OpenCalls();
  private readonly seen = new SeenIds();
  private readonly counted = new SeenIds();
  private pending: Pending | null = null;
  private readonly fallback: string;

  constructor(fallback: string) {
    this.fallback = fallback;
  }

  push(record: Record<string, unknown>): readonly Item[] {
    const type = record.type;
    if (type !== 'assistant' && type !== 'user' && type !== 'system') return [];
    const uuid = asText(record.uuid);
    if (uuid !== null && !this.seen.add(uuid)) return [];
    const run = this.runOf(record);
    const items: Item[] = [];
    if (!this.known.has(run)) {
      this.known.add(run);
      items.push({ kind: 'run', run, agent: 'claude-code', outcome: null });
    }
    if (type === 'assistant') items.push(...this.assistant(record, run));
    else if (type === 'user') items.push(...this.flush(), ...this.user(record, run));
    else if (record.subtype === 'compact_boundary') {
      items.push(
        ...this.flush(),
        stepItem(run, { kind: 'compaction', at: timeOf(record), text: asText(record.content) }),
      );
    }
    return items;
  }

  end(): readonly Item[] {
    return this.flush();
  }

  private runOf(record: Record<string, unknown>): string {
    const session = asText(record.sessionId) ?? this.fallback;
    return record.isSidechain === true ? `${session}/${asText(record.agentId) ?? 'sidechain'}` : session;
  }

  /** A text that no call followed was said, not thought. */
  private flush(): Item[] {
    const pending = this.pending;
    this.pending = null;
    return pending === null
      ? []
      : [stepItem(pending.run, { kind: 'message', at: pending.at, text: pending.text })];
  }

  private assistant(record: Record<string, unknown>, run: string): Item[] {
    const message = asRecord(record.message);
    const messageId = asText(message.id) ?? '';
    const items: Item[] = [];
    if (this.pending !== null && this.pending.messageId !== messageId) items.push(...this.flush());
    const content = asList(message.content);
    if (content.length === 0) items.push(stepItem(run, { kind: 'message', at: timeOf(record), text: '' }));
    for (const block of content.map(asRecord)) {
      if (block.type === 'text') {
        const text = asText(block.text) ?? '';
        if (this.pending === null) this.pending = { run, messageId, text, at: timeOf(record) };
        else this.pending.text += `\n${text}`;
      } else if (block.type === 'tool_use') {
        const text = this.pending?.text ?? null;
        this.pending = null;
        const tokens = this.counted.add(messageId) ? usageOf(message) : null;
        const call = { tool: asText(block.name) ?? '', input: block.input ?? null, text, tokens };
        this.open.begin(asText(block.id) ?? '', call);
      }
    }
    return items;
  }

  private user(record: Record<string, unknown>, run: string): Item[] {
    const at = timeOf(record);
    const content = asRecord(record.message).content;
    if (record.isCompactSummary === true) return [stepItem(run, { kind: 'compaction', at, text: null })];
    if (typeof content === 'string') return [stepItem(run, this.spoken(record, content, at))];
    const items: Item[] = [];
    for (const block of asList(content).map(asRecord)) {
      if (block.type === 'tool_result') {
        const call = this.open.take(asText(block.tool_use_id) ?? '');
        if (call !== null) {
          const output = textOf(block.content);
          items.push(stepItem(run, { kind: 'tool', at, ...call, output, error: block.is_error === true }));
        }
      } else if (block.type === 'text') {
        items.push(stepItem(run, this.spoken(record, asText(block.text) ?? '', at)));
      }
    }
    return items;
  }

  private spoken(record: Record<string, unknown>, text: string, at: Instant | null): Partial<AgentStep> {
    const isHarness = record.isMeta === true || HARNESS.test(text);
    return { kind: isHarness ? 'system' : 'user', at, text };
  }
}

export function stepItem(run: string, parts: Partial<AgentStep> & Pick<AgentStep, 'kind'>): Item;
export function stepItem(run: string, parts: Partial<AgentStep>): Item;
export function stepItem(run: string, parts: Partial<AgentStep>): Item {
  const step: AgentStep = {
    at: null,
    kind: 'message',
    tool: null,
    input: null,
    output: null,
    error: null,
    text: null,
    tokens: null,
    ...parts,
  };
  return { kind: 'step', run, index: null, step };
}

export function timeOf(record: Record<string, unknown>): Instant | null {
  const text = asText(record.timestamp);
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : instant(ms);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map((part) => asText(asRecord(part).text) ?? '')
    .join('\n');
}

function usageOf(message: Record<string, unknown>): Tokens | null {
  const usage = asRecord(message.usage);
  const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const read = input.reduce((sum, key) => sum + (asNumber(usage[key]) ?? 0), 0);
  const written = asNumber(usage.output_tokens) ?? 0;
  return read + written === 0 ? null : { in: read, out: written };
}
