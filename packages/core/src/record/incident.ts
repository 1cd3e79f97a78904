import type { Instant } from '../base/time.ts';
import type { FindingKind } from '../vocabulary/finding.ts';
import type { Mark } from '../vocabulary/hold.ts';
import type { LadderStep } from '../vocabulary/ladder.ts';
import type { OrderSource } from '../vocabulary/order.ts';

/**
 * `due`: to be taken as soon as it may be. `asked`: the fleet was asked to admit it.
 * `acting`: an effect is under way. `waiting`: done, and its wait runs.
 */
export type StepPhase = 'due' | 'asked' | 'acting' | 'waiting';

/** "I have seen it, don't tell me again." The ladder goes on; notices of the incident stop. */
type Acknowledgement = { readonly by: string; readonly at: Instant; readonly reason: string };

/** An operator's or orchestrator's order; it is evidence enough by itself. */
export type Order = {
  readonly by: string;
  readonly source: OrderSource;
  readonly afterwards: 'recover' | 'stop';
  /** Set while the agent is asked for a handoff note first. */
  readonly handoffAskedAt?: Instant;
  /** The checkpoint that they picked, as it was then. */
  readonly from?: { readonly id: string; readonly hash: string };
};

/** What was used while an incident was open, by all starts of the agent. */
export type Cost = { readonly tokens: number; readonly costUsd: number };

/** Counts of different kinds can not be compared: five failures more are no answer to ten equal calls. */
export type Repeat = { readonly kind: FindingKind; readonly count: number };

/**
 * The one thing that may cause a nudge, a kill or a restart. At most one is open per agent. It climbs a ladder
 * that only goes up: steps may be skipped forward, never taken back.
 */
export type Incident = {
  readonly id: string;
  readonly cause: FindingKind | 'operator';
  readonly openedAt: Instant;
  /** The counters from which its cost is counted; absent is zero, and below zero after a new start. */
  readonly meter?: Cost;
  readonly step: LadderStep;
  /** Counts within the step, from 1. (id, step, attempt) is decided once. */
  readonly attempt: number;
  readonly phase: StepPhase;
  /** Not before this moment: a backoff, or what the fleet deferred it to. */
  readonly notBefore?: Instant;
  /** Start of the wait; absent while a notice that nobody received keeps it from running. */
  readonly wait?: Mark;
  /** Attempt 1 of the last nudge was seen by the agent, not only sent. */
  readonly isNudgeSeen?: true;
  readonly isNudgeLost?: true;
  /** An executor was told to go ahead with this attempt: if it asks again, there is nothing new to tell. */
  readonly isClaimed?: true;
  /** Whoever stopped it says that it is gone; its process, which is looked at, was not yet seen to be. */
  readonly saidGoneAt?: Instant;
  /** How far the loop had gone when the first nudge was seen, and when the newest step was taken. */
  readonly repeatAtNudge?: Repeat;
  readonly repeatAtStep?: Repeat;
  readonly order?: Order;
  /** Until the incident closes, or climbs to a step that asks somebody anew. */
  readonly acknowledged?: Acknowledgement;
  /** Since when no `act` finding holds. */
  readonly calm?: Mark;
};

/** The last closed incident, for as long as the same finding would reopen it. */
export type PastIncident = {
  readonly id: string;
  readonly cause: FindingKind | 'operator';
  readonly step: LadderStep;
  readonly attempt: number;
  readonly closedAt: Instant;
};
