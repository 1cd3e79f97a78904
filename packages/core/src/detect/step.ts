import type { Instant } from '../base/time.ts';

/** What an agent did, from its adapter or its transcript. One tool call with its result is one step. */
export type AgentStep = {
  /** The sender's id of the call. Duplicates are dropped earlier. */
  readonly id?: string;
  /** When the step ended; null if the source has no clock, and then spacing is not judged. */
  readonly at: Instant | null;
  readonly kind: 'tool' | 'message' | 'user' | 'system' | 'compaction';
  readonly tool: string | null;
  /** Null means "not recorded", not "no arguments"; equality is then unknown. */
  readonly input: unknown;
  readonly output: string | null;
  /** Null if the source does not say; then it is read from the text. */
  readonly error: boolean | null;
  readonly text: string | null;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    /** The part of `in` that came from the model's cache. */
    readonly cached?: number;
  } | null;
};
