import type { DurationMs, Instant } from '../base/time.ts';
import type { FindingKind } from './finding.ts';

/**
 * An effect is something that Holter wants done, as data. The shell stores it in the same transaction as
 * the state that wanted it, and its executor claims it, does it, and answers with a receipt.
 */
export type Effect = EffectEnvelope & EffectBody;

type EffectEnvelope = {
  /** Made of incident, step and attempt, so that one decision can never become two effects. */
  readonly id: string;
  readonly agentId: string;
  readonly incarnation: number;
  /** Who alone may claim it: a host, or the `holter run` that owns the terminal; null is any server. */
  readonly executor: string | null;
};

export type NoticeAudience = 'orchestrator' | 'operator';
export type NoticeSeverity = 'info' | 'warning' | 'critical';

/** Something that people should know. */
export type NoticeBody = {
  readonly audience: NoticeAudience;
  readonly severity: NoticeSeverity;
  readonly message: string;
  readonly incidentId: string | null;
  /** The channel that failed and that this is about: the others carry it. */
  readonly failedChannel?: string;
};

export type EffectBody =
  | {
      readonly kind: 'nudge';
      readonly attempt: number;
      readonly about: FindingKind | 'operator';
      readonly message: string;
    }
  /** Asks the agent how it is; any sign of life is the answer. */
  | { readonly kind: 'inquire'; readonly message: string; readonly answerBy: Instant }
  /** A message was not acknowledged: say it again. */
  | { readonly kind: 'remind'; readonly message: string }
  | ({
      readonly kind: 'notify';
      /** Set where it is stored once for each channel: which of them carries this copy of which notice. */
      readonly via?: { readonly channel: string; readonly noticeId: string };
    } & NoticeBody)
  /** Refuses the looping call where the adapter can; asked for right before a termination. */
  | { readonly kind: 'deny-call'; readonly message: string }
  | { readonly kind: 'request-handoff'; readonly message: string; readonly waitMs: DurationMs }
  | { readonly kind: 'terminate'; readonly reason: string; readonly cleanupMs: DurationMs }
  | {
      readonly kind: 'spawn';
      /** The successor presents it when it registers; the launcher locks on it, so two can't start. */
      readonly key: string;
      readonly taskId: string | null;
      readonly attempt: number;
      readonly handoffNoteId: string | null;
      /** The one that a person picked: from it, or not at all. Null is the newest that is sound. */
      readonly checkpointId: string | null;
    };

export type EffectKind = EffectBody['kind'];

/**
 * What became of an effect. "Posted" is handed to a service that carries it on, "delivered" has arrived, and
 * neither is "seen"; "unknown" is never retried where it could hurt.
 */
export type ReceiptOutcome = 'posted' | 'delivered' | 'seen' | 'done' | 'refused' | 'unknown';

/** What an agent's adapter can do for it. */
export type Capability = 'nudge' | 'deny-call' | 'terminate' | 'spawn';
