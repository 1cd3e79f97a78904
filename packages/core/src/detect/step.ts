import type { Instant } from '../base/time.ts';

/** What an agent did, as its adapter or its transcript tells it. One tool call with its result is one step. */
export type AgentStep = {
  /** The sender's id of the call. Duplicates are dropped before they come here. */
  readonly id?: string;
  /** When the step ended; null when the source has no clock, and then nothing is judged by spacing. */
  readonly at: Instant | null;
  readonly kind: 'tool' | 'message' | 'user' | 'system' | 'compaction';
  readonly tool: string | null;
  /** Null means "not recorded", not "no arguments": sameness is then unknown. */
  readonly input: unknown;
  readonly output: string | null;
  /** Null when the source does not say; then it is read from the text. */
  readonly error: boolean | null;
  readonly text: string | null;
  readonly tokens: { readonly in: number; readonly out: number } | null;
};
