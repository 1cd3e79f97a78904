import type { Instant } from '../base/time.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { HoldKind } from './hold.ts';
import type { ModelUse } from './spending.ts';

/**
 * A signal is one observed fact, as it enters Holter. It says what happened, never what to do. Times inside a signal
 * are information for people; freshness is judged only by the input's own `at`.
 */
export type Signal = SignalEnvelope & SignalBody;

export type SignalEnvelope = {
  readonly agentId: string;
  /** The incarnation that this is about. Absent only for agents that never registered. */
  readonly incarnation?: number;
  /** The same fact has the same id on every path that it takes (the tool_use_id for a call). */
  readonly id?: string;
  /**
   * An ordered source, such as a transcript, and the position in it. A signal at or before the high-water mark is
   * old.
   */
  readonly channel?: string;
  readonly seq?: number;
};

/** What an agent may report about itself (seed 001 §1.3.3). */
export type SelfStatus = 'healthy' | 'busy' | 'degraded';
export type MessagePriority = 'urgent' | 'high' | 'normal' | 'low';
export type JobOutcome = 'done' | 'failed';
export type Verdict = 'ACCEPT' | 'RETRY' | 'ESCALATE' | 'CONTINUE' | 'COMPACTION';

/** What the operating system reports about the whole process tree. */
export type ProcessState = 'running' | 'stopped' | 'uninterruptible' | 'gone';

/** The payload of seed 000 §2. `agent_id` is in the envelope; two fields are for people only. */
export type HeartbeatBody = {
  readonly kind: 'heartbeat';
  readonly taskId?: string;
  readonly timestamp?: number;
  readonly phase?: string;
  readonly lastToolCall?: number;
  /** Running totals since the start of this incarnation, not increments: a lost beat loses nothing. */
  readonly tokenCount?: number;
  readonly errorCount?: number;
  readonly progressIndicator?: string;
  readonly status?: SelfStatus;
};

export type SignalBody =
  | HeartbeatBody
  | { readonly kind: 'pong'; readonly status?: SelfStatus; readonly phase?: string }
  | { readonly kind: 'activity' }
  | { readonly kind: 'status'; readonly status: SelfStatus }
  | { readonly kind: 'turn-begun' }
  | { readonly kind: 'turn-ended' }
  | { readonly kind: 'call-begun'; readonly callId: string; readonly tool: string; readonly input?: unknown }
  | {
      readonly kind: 'call-ended';
      readonly callId: string;
      readonly tool: string;
      readonly input?: unknown;
      readonly output?: string;
      readonly isError: boolean;
      /** The text that came with the call; it never makes two equal calls different. */
      readonly text?: string;
    }
  | { readonly kind: 'said'; readonly role: 'assistant' | 'user' | 'system'; readonly text: string }
  | { readonly kind: 'compaction' }
  | {
      /** Running totals since the start of this incarnation. */
      readonly kind: 'tokens';
      readonly total: number;
      readonly costUsd?: number;
      /** Share of the context window in use, 0 to 1. */
      readonly contextUse?: number;
      /** The same total, by model and by how it is priced. */
      readonly models?: readonly ModelUse[];
    }
  | {
      readonly kind: 'checkpoint';
      readonly checkpointId: string;
      readonly parentId?: string;
      readonly hash: string;
    }
  | {
      readonly kind: 'task-assigned';
      readonly taskId: string;
      readonly expectedAt?: Instant;
      readonly description?: string;
    }
  | {
      readonly kind: 'task-updated';
      readonly taskId: string;
      readonly percent?: number;
      readonly note?: string;
      /** The agent says that it cannot go on with it (seed 001 §1.5.3). */
      readonly cannotContinue?: boolean;
    }
  | {
      readonly kind: 'task-ended';
      readonly taskId: string;
      readonly outcome: 'done' | 'failed' | 'cancelled';
    }
  | {
      /** One run of a scheduled job has ended; `turn-begun` is its beginning, where that is told. */
      readonly kind: 'job-ended';
      readonly outcome: JobOutcome;
      readonly code?: number;
      /** The beginning of what the job printed. */
      readonly output?: string;
    }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'message-delivered'; readonly messageId: string; readonly priority: MessagePriority }
  | { readonly kind: 'message-acknowledged'; readonly messageId: string }
  | { readonly kind: 'message-failed'; readonly messageId: string; readonly code: string }
  | { readonly kind: 'connection'; readonly state: 'open' | 'closed' }
  | {
      /** Counters are totals of the tree since its start; core compares them with the last ones it saw. */
      readonly kind: 'process';
      readonly state: ProcessState;
      readonly cpuMs: number;
      readonly ioBytes: number;
      readonly childrenAtWork: number;
      readonly memoryBytes: number;
      /** With `gone`: where it ran has gone too, such as its tmux server, so nothing can start it there again. */
      readonly isPlaceGone?: boolean;
    }
  | { readonly kind: 'hold-begun'; readonly hold: HoldKind; readonly until?: Instant }
  | { readonly kind: 'hold-ended'; readonly hold: HoldKind }
  | { readonly kind: 'error'; readonly message: string; readonly isUnrecoverable?: boolean }
  | { readonly kind: 'blocker'; readonly text: string }
  | { readonly kind: 'handoff-requested'; readonly reason: string }
  | { readonly kind: 'handoff-written'; readonly noteId: string }
  | { readonly kind: 'started' }
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal?: string }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'finding-cleared'; readonly findingKind: FindingKind };

export type SignalKind = SignalBody['kind'];

/** Facts with drastic consequences, which only sources that sense may report; see `AUTHORITY`. */
export const SENSED_ONLY: ReadonlySet<SignalKind> = new Set<SignalKind>([
  'process',
  'exited',
  'connection',
  'message-delivered',
  'message-failed',
  'finding',
  'finding-cleared',
]);
