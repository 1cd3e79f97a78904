import type { DurationMs, Instant } from '../base/time.ts';
import type { Acquired } from '../breaker/breaker.ts';
import type { Report } from '../breaker/breaker-report.ts';
import type { Admission, Ask } from '../vocabulary/ask.ts';
import type { Source } from '../vocabulary/authority.ts';
import type { PickedCheckpoint } from '../vocabulary/checkpoint-chain.ts';
import type { Effect, Life, NoticeBody, ReceiptOutcome } from '../vocabulary/effect.ts';
import type { HolterEvent } from '../vocabulary/event.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { DecisionRejection, SignalRejection } from '../vocabulary/rejection.ts';
import type { Signal } from '../vocabulary/signal.ts';
import type { Spending } from '../vocabulary/spending.ts';
import type { StallLog } from '../vocabulary/stall.ts';
import type { TicketAct } from '../vocabulary/ticket.ts';
import type { Agent } from './agent.ts';

/** Everything that can change an agent's record. Time and random numbers come from outside. */
export type Input = InputEnvelope & InputBody;

type InputEnvelope = {
  readonly at: Instant;
  /** When Holter itself was not running; deadlines of absence move by it. */
  readonly stalls: StallLog;
};

export type InputBody =
  /** `origin` decides what the signal may do; every origin but `holter` is also a sign of life. */
  | { readonly kind: 'signal'; readonly signal: Signal; readonly origin: Source }
  | { readonly kind: 'tick' }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | {
      readonly kind: 'receipt';
      readonly effect: Effect;
      readonly outcome: ReceiptOutcome;
      readonly detail: string;
    }
  /** Holter has something to tell people about this agent that is not part of an incident. */
  | { readonly kind: 'notice'; readonly effectId: string; readonly notice: NoticeBody }
  /** A judge, its triage, or a person's answer to it. */
  | { readonly kind: 'ticket'; readonly act: TicketAct }
  /** A caller asks one of the agent's breakers, or reports to it. */
  | {
      readonly kind: 'breaker';
      readonly name: string;
      readonly act: BreakerAct;
      /** 0 to 1, for the jitter. */
      readonly roll: number;
      /** The incarnation that calls; absent for a caller that speaks for the current one. */
      readonly incarnation?: number;
    }
  /** The fleet's answer to an ask. */
  | { readonly kind: 'grant'; readonly ask: Ask; readonly admission: Admission }
  /** An executor is about to carry out an effect: a last check, with the evidence that it has just read. */
  | { readonly kind: 'claim'; readonly effect: Effect; readonly evidence: ClaimEvidence };

export type BreakerAct =
  | { readonly kind: 'acquire' }
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'isolate'; readonly by: string; readonly reason: string; readonly forMs: DurationMs }
  | { readonly kind: 'reset'; readonly by: string; readonly reason: string };

export type ClaimEvidence = {
  /** Whether the task is still open in the task tracker; absent if that could not be determined. */
  readonly isTaskOpen?: boolean;
  /**
   * For a spawn: the newest valid checkpoint, or null for the task's start, and how many were skipped. Where a
   * person picked one: that one with its hash, or null if it can no longer be used.
   */
  readonly checkpointId?: string | null;
  readonly checkpointHash?: string;
  readonly checkpointsSkipped?: number;
  /** For a spawn: a fresh random secret. The first claim of an attempt makes it the key of that start. */
  readonly spawnKey?: string;
};

export type Decision = {
  readonly by: string;
  readonly reason: string;
  /** Absent for a person. */
  readonly source?: 'run';
  readonly incidentId?: string;
  /** The shell knows that the executor which would start the agent is not there. */
  readonly isStarterGone?: true;
} /** For the whole agent, or for one kind of finding. */ & (
  | { readonly decision: 'allow_more_time'; readonly forMs: DurationMs; readonly finding?: FindingKind }
  /** Ends a snooze or `allow_more_time` early. */
  | { readonly decision: 'wake'; readonly finding?: FindingKind }
  | { readonly decision: 'force_handoff' }
  /** From the newest valid checkpoint, or from the one that was picked. */
  | { readonly decision: 'terminate_and_recover'; readonly from?: PickedCheckpoint }
  | { readonly decision: 'terminate' }
  | { readonly decision: 'recover'; readonly from?: PickedCheckpoint }
  /** Gives up an agent whose end can't be proven, and starts another in its place. */
  | { readonly decision: 'replace' }
  | { readonly decision: 'nudge'; readonly message?: string }
  /** Stops the notices of this incident, until it needs a new decision. */
  | { readonly decision: 'acknowledge' }
  | { readonly decision: 'pause' }
  | { readonly decision: 'resume' }
  /** The incident, or one kind of finding, was wrong: quiet for a while, and the counts behind it are reset. */
  | { readonly decision: 'dismiss'; readonly finding?: FindingKind }
);

export type DecisionWord = Decision['decision'];

/** What a claim may be told: go ahead, or leave it. */
export type ClaimVerdict = 'proceed' | 'cancelled';

export type Applied = {
  readonly agent: Agent;
  readonly events: readonly HolterEvent[];
  readonly effects: readonly Effect[];
  /** Questions to the fleet; `turn` gets the answers and feeds them back. */
  readonly asks: readonly Ask[];
  /** Incidents and incarnations that this input ended: effects pending for them are cancelled in the same commit. */
  readonly over: readonly Life[];
  /** The next moment at which time alone could change the verdict. */
  readonly wakeAt: Instant;
  /** What this input adds to the books; absent if nothing. */
  readonly spending?: readonly Spending[];
  /** The answer to an `acquire`. */
  readonly permit?: Acquired;
  /** The answer to a claim. */
  readonly claim?: ClaimVerdict;
  /** The signal was not folded in, or the decision not carried out. */
  readonly rejection?: SignalRejection | DecisionRejection;
};
