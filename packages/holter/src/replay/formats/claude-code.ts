import { basename } from 'node:path';
import { type Instant, instant } from '@holter/core';
import type { AgentStep } from '@holter/core/detect';
import { type TranscriptFact, TranscriptReader } from '@holter/server/claude-code';
import { asText, type Format, type FormatReader, type Item } from '../item.ts';

/** A Claude Code transcript, read as the live tail reads it. */
export const claudeCode: Format = {
  name: 'claude-code',
  matches: (record) => typeof record.sessionId === 'string' && typeof record.type === 'string',
  open: (file) => new ClaudeReader(basename(file).replace(/\.jsonl$/, '')),
};

class ClaudeReader implements FormatReader {
  private readonly known = new Set<string>();
  private readonly reader: TranscriptReader;

  constructor(fallback: string) {
    this.reader = new TranscriptReader(fallback);
  }

  push(record: Record<string, unknown>): readonly Item[] {
    return this.itemsOf(this.reader.push(record));
  }

  end(): readonly Item[] {
    return this.itemsOf(this.reader.flush());
  }

  private itemsOf(facts: readonly TranscriptFact[]): readonly Item[] {
    return facts.flatMap((fact): readonly Item[] => {
      const { run } = fact;
      const items: Item[] = [];
      if (!this.known.has(run)) {
        this.known.add(run);
        items.push({ kind: 'run', run, agent: 'claude-code', outcome: null });
      }
      const step = stepOf(fact);
      return step ? [...items, stepItem(run, step)] : items;
    });
  }
}

const stepKinds = { assistant: 'message', user: 'user', system: 'system' } as const;

function stepOf(fact: TranscriptFact): Partial<AgentStep> | null {
  const at = timeOf({ timestamp: fact.at });
  switch (fact.kind) {
    case 'call-ended': {
      const { tool, input, text, output, isError: error, usage } = fact;
      const tokens = usage && { in: usage.in, out: usage.out };
      return { kind: 'tool', at, tool, input, text, output, error, tokens };
    }
    case 'said':
      return { kind: stepKinds[fact.role], at, text: fact.text };
    case 'compaction':
      return { kind: 'compaction', at, text: fact.text };
    case 'call-begun':
    case 'usage':
      return null;
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
