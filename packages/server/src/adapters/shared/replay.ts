import { basename } from 'node:path';
import { type Instant, instant } from '@holter/core';
import type { AgentStep, Verdict } from '@holter/core/detect';
import type { JsonRecord } from './json.ts';
import type { TranscriptFact, TranscriptReader } from './transcript.ts';

/** What a reader finds in a file, line by line. Runs may be interleaved (an agent and its subagents). */
export type Item =
  | { readonly kind: 'run'; readonly run: string; readonly agent: string; readonly outcome: string | null }
  | { readonly kind: 'step'; readonly run: string; readonly index: number | null; readonly step: AgentStep }
  | { readonly kind: 'verdict'; readonly run: string; readonly verdict: Verdict }
  | { readonly kind: 'bad-line'; readonly line: number; readonly because: string };

/** One kind of recorded file. */
export type ReplayFormat = {
  /** Whether a file with this line in it is of this format. */
  readonly matches: (record: JsonRecord) => boolean;
  readonly open: (file: string) => ReplayReader;
};

/** `push` gets parsed lines in order; nothing else is kept between them. */
export type ReplayReader = {
  readonly push: (record: JsonRecord, line: number) => readonly Item[];
  readonly end: () => readonly Item[];
};

/** Recorded transcripts, read as the live tail reads them. */
export const transcriptFormat = (
  agent: string,
  matches: ReplayFormat['matches'],
  open: (sessionId: string) => TranscriptReader,
): ReplayFormat => ({
  matches,
  open: (file) => {
    const reader = open(runNameOf(file));
    const known = new Set<string>();
    const itemsOf = (facts: readonly TranscriptFact[]): readonly Item[] =>
      facts.flatMap((fact) => {
        const { run } = fact;
        const items: Item[] = [];
        if (!known.has(run)) items.push({ kind: 'run', run, agent, outcome: null });
        known.add(run);
        const step = stepOf(fact);
        return step ? [...items, stepItem(run, step)] : items;
      });
    return { push: (record) => itemsOf(reader.push(record)), end: () => itemsOf(reader.flush()) };
  },
});

/** A file that names no run is one, called like the file. */
export const runNameOf = (file: string): string => basename(file).replace(/\.jsonl$/, '');

const stepKinds = { assistant: 'message', user: 'user', system: 'system' } as const;

function stepOf(fact: TranscriptFact): Partial<AgentStep> | null {
  const at = timeOf(fact.at);
  switch (fact.kind) {
    case 'call-ended': {
      const { tool, input, text, output, isError: error, usage } = fact;
      const tokens = usage && { in: usage.in, out: usage.out, cached: usage.cached };
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

export function timeOf(timestamp: unknown): Instant | null {
  const ms = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(ms) ? null : instant(ms);
}
