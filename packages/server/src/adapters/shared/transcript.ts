import type { ModelUse } from '@holter/core';
import type { JsonRecord } from './json.ts';

/** The log that an agent writes of a session, one JSON object per line. */
export type Transcript = {
  /** Reads one log from its beginning or from anywhere in it; `sessionId` names the run of lines that do not. */
  readonly open: (sessionId: string) => TranscriptReader;
  /**
   * The session's own log, if that is what a hook named; null for any other file. A hook's body is the word of
   * an agent, and must not make Holter read other files.
   */
  readonly fileNamedByHook?: (
    env: NodeJS.ProcessEnv,
    sessionId: string,
    path: string | null,
  ) => Promise<string | null>;
  /** The log of a session that no hook has named; null before its first line is written. */
  readonly fileOfSession?: (env: NodeJS.ProcessEnv, sessionId: string) => Promise<string | null>;
};

export type TranscriptReader = {
  readonly push: (line: JsonRecord) => readonly TranscriptFact[];
  /** What was held back until the next line would say what it belongs to. */
  readonly flush: () => readonly TranscriptFact[];
};

export type TranscriptFact = {
  /** The session, or `session/subagent` for lines of a subagent. */
  readonly run: string;
  /** As the line says it; information only. */
  readonly at: string | null;
} & (
  | { readonly kind: 'call-begun'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: 'call-ended';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
      readonly text: string | null;
      readonly output: string;
      readonly isError: boolean;
      /** Of the message that made the call, with its first call only. */
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'said';
      readonly role: 'assistant' | 'user' | 'system';
      readonly text: string;
      readonly promptId: string | null;
    }
  | { readonly kind: 'compaction'; readonly text: string | null }
  /** What a message of the model used, each token once, however many lines it takes. */
  | {
      readonly kind: 'usage';
      readonly use: ModelUse;
      /** Share of the context window in use, 0 to 1. */
      readonly contextUse: number;
      readonly isEndOfTurn: boolean;
    }
);

export type Usage = {
  /** Read by the model, from the cache or not. */
  readonly in: number;
  readonly out: number;
  /** The part of `in` that came from the cache. */
  readonly cached: number;
};
