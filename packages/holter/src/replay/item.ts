import type { AgentStep, Verdict } from '@holter/core/detect';

/** What a reader finds in a file, line by line. Runs may be interleaved (an agent and its helpers). */
export type Item =
  | { readonly kind: 'run'; readonly run: string; readonly agent: string; readonly outcome: string | null }
  | { readonly kind: 'step'; readonly run: string; readonly index: number | null; readonly step: AgentStep }
  | { readonly kind: 'verdict'; readonly run: string; readonly verdict: Verdict }
  | { readonly kind: 'bad-line'; readonly line: number; readonly because: string };

/** Reads one kind of file. `push` gets parsed lines in order; nothing else is kept between them. */
export type FormatReader = {
  readonly push: (record: Record<string, unknown>, line: number) => readonly Item[];
  readonly end: () => readonly Item[];
};

export type Format = {
  readonly name: string;
  /** Whether a file with this line in it is of this format. */
  readonly matches: (record: Record<string, unknown>) => boolean;
  readonly open: (file: string) => FormatReader;
};

export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
