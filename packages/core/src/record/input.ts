import type { DurationMs, Instant } from '../base/time.ts';
import type { Acquired } from '../breaker/breaker.ts';
import type { Report } from '../breaker/breaker-report.ts';
import type { Admission, Ask } from '../vocabulary/ask.ts';
import type { PickedCheckpoint } from '../vocabulary/checkpoint-chain.ts';
import type { Effect, Life, NoticeBody, ReceiptOutcome } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { DecisionRejection, SignalRejection } from '../vocabulary/rejection.ts';
import type { Signal } from '../vocabulary/signal.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import type { Agent } from './agent.ts';

/** Everything that can make an agent's record change. Time and dice come in from outside. */
export type Input = InputEnvelope & InputBody;

type InputEnvelope = {
  readonly at: Instant;
  /** When Holter itself was not looking; deadlines of absence move by it. */
  readonly stalls: StallLog;
};

export type InputBody =
  /** `agent` is the agent's own word; `holter` are Holter's own senses, which alone may say drastic things. */
  | { readonly kind: 'signal'; readonly signal: Signal; readonly origin: 'agent' | 'holter' }
  | { readonly kind: 'tick' }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | {
      readonly kind: 'receipt';
      readonly effect: Effect;
      readonly outcome: ReceiptOutcome;
      readonly detail: string;
    }
  /** Holter itself has something to tell people about this agent, beside its incidents. */
  | { readonly kind: 'notice'; readonly effectId: string; readonly notice: NoticeBody }
  /** Somebody asks one of the agent's breakers, or reports to it. `roll` is 0 to 1, for the jitter. */
  | { readonly kind: 'breaker'; readonly name: string; readonly act: BreakerAct; readonly roll: number }
  /** The fleet's answer to an ask. */
  | { readonly kind: 'grant'; readonly ask: Ask; readonly admission: Admission }
  /** An executor is about to do it: the last moment to think again, with what it has just looked up. */
  | { readonly kind: 'claim'; readonly effect: Effect; readonly evidence: ClaimEvidence };

export type BreakerAct =
  | { readonly kind: 'acquire' }
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'isolate'; readonly by: string; readonly reason: string; readonly forMs: DurationMs }
  | { readonly kind: 'reset'; readonly by: string; readonly reason: string };

export type ClaimEvidence = {
  /** Whether the task is still open where tasks are kept; absent when nobody could say. */
  readonly isTaskOpen?: boolean;
  /**
   * For a spawn: the newest valid checkpoint, or null for the task's start, and how many were skipped. Where
   * a person picked one: that one with its hash, or null when nothing can start from it any more.
   */
  readonly checkpointId?: string | null;
  readonly checkpointHash?: string;
  readonly checkpointsSkipped?: number;
};

export type Decision = {
  readonly by: string;
  readonly reason: string;
  /** A person, unless it says otherwise. */
  readonly source?: 'run';
  readonly incidentId?: string;
} /** For the whole agent, or for one kind of finding. */ & (
  | { readonly decision: 'allow_more_time'; readonly forMs: DurationMs; readonly finding?: FindingKind }
  /** Takes such time back. */
  | { readonly decision: 'wake'; readonly finding?: FindingKind }
  | { readonly decision: 'force_handoff' }
  /** From the newest valid checkpoint, or from the one that they pick. */
  | { readonly decision: 'terminate_and_recover'; readonly from?: PickedCheckpoint }
  | { readonly decision: 'terminate' }
  | { readonly decision: 'recover'; readonly from?: PickedCheckpoint }
  | { readonly decision: 'nudge'; readonly message?: string }
  /** "I have seen it": no more notices of this incident, until it needs a new decision. */
  | { readonly decision: 'acknowledge' }
  | { readonly decision: 'pause' }
  | { readonly decision: 'resume' }
  /** "This was wrong", all of it or one kind of finding: quiet for it, and what was counted for it is forgotten. */
  | { readonly decision: 'dismiss'; readonly finding?: FindingKind }
);

export type DecisionWord = Decision['decision'];

/** What a claim may be told: go ahead, or leave it. */
export type ClaimVerdict = 'proceed' | 'cancelled';

export type Step = {
  readonly agent: Agent;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** Questions to the fleet; `turn` puts them and feeds the answers back. */
  readonly asks: readonly Ask[];
  /** Incidents and starts that this input ended: what is pending for them is cancelled with it. */
  readonly over: readonly Life[];
  /** The next moment at which time alone could change the verdict. */
  readonly wakeAt: Instant;
  /** The answer to an acquire; only after one. */
  readonly permit?: Acquired;
  /** The answer to a claim; only after one. */
  readonly claim?: ClaimVerdict;
  /** The signal was not folded in, or the decision not carried out. */
  readonly rejection?: SignalRejection | DecisionRejection;
};
